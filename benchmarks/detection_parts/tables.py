"""The tables and lists of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from paramedic.diagnose.rules import DEFAULT
from paramedic.types import Verdict

from .counting import (
    Calm,
    Spread,
    Tally,
    alarmed,
    by_family,
    by_slug,
    calm,
    covered,
    is_verdict_right,
    miscaused,
    misjudged,
    misnamed,
    suspected,
    tally,
)
from .goals import Verdict as Goal
from .judging import EVERY
from .naming import FAMILIES, SPARSE, codes
from .runs import Judged, healthy, sick

TITLES = {
    DEFAULT: "Paramedic",
    SPARSE: f"Paramedic, one frame in {EVERY}",
    "autotrainer": "AUTOTRAINER",
    "bttackler": "BTTackler",
    "training-doctor": "Training Doctor",
}
NOTHING = "–"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def goals_table(found: Sequence[Goal]) -> str:
    """Each goal with what was seen."""
    rows = [(v.goal, v.where, v.limit, v.seen, f"**{v.verdict}**") for v in found]
    return table(("goal", "where", "limit", "measured", "verdict"), rows)


def slugs_table(half: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """Every sickness, then all together."""
    rows = [
        (f"{codes()[slug]} {slug}", *_tally_cells(tally(runs, rule_set)))
        for slug, runs in by_slug(half).items()
    ]
    rows.append(("**all**", *_tally_cells(tally(half, rule_set))))
    head = ("sickness", "runs", "verdict right", "right cause first", "anything found",
            "it is found", "named first", "delay (quartiles)")  # fmt: skip
    return table(head, rows)


def _tally_cells(counted: Tally) -> tuple[str, ...]:
    return (
        str(counted.runs),
        _of(counted.told, counted.runs),
        _of(counted.caused, counted.runs),
        _of(counted.noticed, counted.runs),
        _of(counted.found, counted.runs),
        _of(counted.named, counted.runs),
        _spread(counted.delay),
    )


def families_table(halves: dict[str, list[Judged]]) -> str:
    """Delays by family, a column for each half."""
    groups = {half: by_family(runs) for half, runs in halves.items()}
    letters = [one for one in FAMILIES if any(one in group for group in groups.values())]
    rows = [
        (f"{letter} {FAMILIES[letter]}", *_family_cells(letter, groups.values()))
        for letter in letters
    ]
    names = [name for half in halves for name in (f"found, {half}", f"delay (quartiles), {half}")]
    return table(("family", *names), rows)


def _family_cells(letter: str, groups: Iterable[dict[str, list[Judged]]]) -> list[str]:
    cells = []
    for group in groups:
        counted = tally(group.get(letter, []), DEFAULT)
        cells += [_of(counted.found, counted.runs), _spread(counted.delay)]
    return cells


def sets_table(half: Sequence[Judged], names: Iterable[str]) -> str:
    """Every rule set beside ours, on the same runs."""
    rows = [(TITLES.get(name, name), *_set_cells(half, name)) for name in names]
    head = (
        "rules",
        "sick: anything found",
        "sick: warned",
        "sickness among the findings",
        "named first",
        "named first, of those it has a rule for",
        "healthy: warned",
        "healthy: anything serious found",
        "found per sick run",
        "found per healthy run",
        "delay (quartiles)",
    )
    return table(head, rows)


def _set_cells(half: Sequence[Judged], name: str) -> tuple[str, ...]:
    counted, known, sound = tally(half, name), tally(covered(half, name), name), calm(half, name)
    return (
        _share(counted.noticed, counted.runs),
        _share(counted.alarmed, counted.runs),
        _share(counted.found, counted.runs),
        _share(counted.named, counted.runs),
        _share(known.named, known.runs),
        _share(sound.alarmed, sound.runs),
        _share(sound.suspected, sound.runs),
        _each(counted.cases, counted.runs),
        _each(sound.cases, sound.runs),
        _spread(counted.delay),
    )


def healthy_table(halves: dict[str, list[Judged]]) -> str:
    """What our catalogue says of healthy runs."""
    rows = [(half, *_calm_cells(calm(runs, DEFAULT))) for half, runs in halves.items()]
    head = ("half", "healthy runs", "warned", "of these by the verdict",
            "anything serious found", "findings per run")  # fmt: skip
    return table(head, rows)


def _calm_cells(counted: Calm) -> tuple[str, ...]:
    shares = (counted.alarmed, counted.failed, counted.suspected)
    cells = (_of(count, counted.runs) for count in shares)
    return str(counted.runs), *cells, _each(counted.findings, counted.runs)


def verdicts_table(halves: dict[str, list[Judged]], rule_set: str = DEFAULT) -> str:
    """How often each verdict was given to healthy runs, and to sick ones that learn or do not."""
    rows = []
    for half, runs in halves.items():
        groups = {
            "healthy": healthy(runs),
            "sick, learned by its metric": [one for one in sick(runs) if one.run.learned],
            "sick, did not learn": [one for one in sick(runs) if not one.run.learned],
        }
        rows += [
            (half, name, str(len(group)), *_verdict_cells(group, rule_set))
            for name, group in groups.items()
        ]
    head = ("half", "runs of the zoo", "runs", *map(str, Verdict), "with a fault", "right")
    return table(head, rows)


def _verdict_cells(runs: Sequence[Judged], rule_set: str) -> tuple[str, ...]:
    outcomes = [one.outcomes[rule_set] for one in runs]
    given = Counter(outcome.verdict for outcome in outcomes)
    is_sick = bool(sick(runs))
    right = sum(is_verdict_right(one.run, one.outcomes[rule_set]) for one in runs)
    return (
        *(str(given[str(verdict)]) for verdict in Verdict),
        str(sum(outcome.fault for outcome in outcomes)),
        _of(right, len(runs)) if is_sick else NOTHING,
    )


def misjudged_list(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """Every sick run whose verdict is not right, with the verdict."""
    return _bullets(
        f"`{one.run.name}` ({'learned' if one.run.learned else 'did not learn'}): "
        f"{one.outcomes[rule_set].verdict}"
        for one in misjudged(judged, rule_set)
    )


def misjudged_totals(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """How many sick runs have a verdict that is not right, by sickness."""
    return _totals(judged, misjudged(judged, rule_set))


def miscaused_list(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """Every sick run of which another cause comes first, with the causes."""
    return _bullets(
        f"`{one.run.name}`: {', '.join(one.outcomes[rule_set].causes) or 'no cause'}"
        for one in miscaused(judged, rule_set)
    )


def miscaused_totals(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """How many sick runs have another cause first, by sickness."""
    return _totals(judged, miscaused(judged, rule_set))


def _totals(judged: Sequence[Judged], chosen: Sequence[Judged]) -> str:
    """How many of each sickness were chosen, without their names."""
    counts = Counter(one.run.slug for one in chosen)
    every = by_slug(judged)
    return _bullets(
        f"{slug}: {counts[slug]} of {len(every[slug])}" for slug in every if counts[slug]
    )


def misnamed_list(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """Every sick run whose root is not its sickness, with what was said instead."""
    return _bullets(_misnamed_line(one, rule_set) for one in misnamed(judged, rule_set))


def _misnamed_line(one: Judged, rule_set: str) -> str:
    first, *rest = one.outcomes[rule_set].findings or ("nothing",)
    accepted = f" (also right: {', '.join(one.run.accepted)})" if one.run.accepted else ""
    beside = f"; beside it {', '.join(rest)}" if rest else ""
    return f"`{one.run.name}`{accepted}: **{first}**{beside}"


def misnamed_totals(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """How many sick runs have another root, by sickness and without their names."""
    return _totals(judged, misnamed(judged, rule_set))


def alarms_totals(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """Of how many healthy runs a user was warned, by the warning, without their names."""
    found = [one.outcomes[rule_set].warnings for one in alarmed(judged, rule_set)]
    return _by_name(judged, found)


def suspected_totals(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """In how many healthy runs something serious was found, without their names."""
    return _by_name(judged, [one.outcomes[rule_set].loud for one in suspected(judged, rule_set)])


def _by_name(judged: Sequence[Judged], found: Iterable[Sequence[str]]) -> str:
    counts = Counter(name for names in found for name in names)
    return _bullets(f"{name}: {counts[name]} of {len(healthy(judged))}" for name in sorted(counts))


def alarms_list(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """Every healthy run of which a user was warned."""
    return _bullets(
        f"`{one.run.name}`: {', '.join(one.outcomes[rule_set].warnings)}"
        for one in alarmed(judged, rule_set)
    )


def suspected_list(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """Every healthy run in which something serious was found."""
    return _bullets(
        f"`{one.run.name}`: {', '.join(one.outcomes[rule_set].loud)}"
        for one in suspected(judged, rule_set)
    )


def notes_list(judged: Sequence[Judged]) -> str:
    """What was only noted in healthy runs, by how often."""
    notes: dict[str, int] = {}
    for one in healthy(judged):
        outcome = one.outcomes[DEFAULT]
        for slug in set(outcome.findings) - set(outcome.loud):
            notes[slug] = notes.get(slug, 0) + 1
    return ", ".join(f"{slug} ({times} runs)" for slug, times in sorted(notes.items()))


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "None."


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else NOTHING


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} % ({part} of {whole})" if whole else NOTHING


def _each(count: int, runs: int) -> str:
    return f"{count / runs:.2f}" if runs else NOTHING


def _spread(seen: Spread | None) -> str:
    if seen is None:
        return NOTHING
    return f"{seen.middle:.3f} ({seen.lower:.3f}–{seen.upper:.3f})"
