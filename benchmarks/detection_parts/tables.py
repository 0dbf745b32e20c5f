"""The tables and lists of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from paramedic.diagnose.rules import DEFAULT

from .counting import (
    Calm,
    Spread,
    Tally,
    alarmed,
    by_family,
    by_slug,
    calm,
    covered,
    misnamed,
    tally,
)
from .goals import Verdict
from .judging import EVERY
from .naming import FAMILIES, SPARSE, codes
from .runs import Judged, healthy

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


def goals_table(found: Sequence[Verdict]) -> str:
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
    head = ("sickness", "runs", "anything found", "it is found", "named first", "delay (quartiles)")
    return table(head, rows)


def _tally_cells(counted: Tally) -> tuple[str, ...]:
    return (
        str(counted.runs),
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
        "told per sick run",
        "told per healthy run",
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
        _each(counted.cases, counted.runs),
        _each(sound.cases, sound.runs),
        _spread(counted.delay),
    )


def healthy_table(halves: dict[str, list[Judged]]) -> str:
    """What our catalogue says of healthy runs."""
    rows = [(half, *_calm_cells(calm(runs, DEFAULT))) for half, runs in halves.items()]
    return table(("half", "healthy runs", "with a warning or worse", "findings per run"), rows)


def _calm_cells(counted: Calm) -> tuple[str, ...]:
    alarms = _of(counted.alarmed, counted.runs)
    return str(counted.runs), alarms, _each(counted.findings, counted.runs)


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
    wrong = Counter(one.run.slug for one in misnamed(judged, rule_set))
    every = by_slug(judged)
    return _bullets(f"{slug}: {wrong[slug]} of {len(every[slug])}" for slug in every if wrong[slug])


def alarms_totals(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """How many healthy runs were told each warning, without their names."""
    told = Counter(
        slug for one in alarmed(judged, rule_set) for slug in one.outcomes[rule_set].loud
    )
    return _bullets(f"{slug}: {told[slug]} of {len(healthy(judged))}" for slug in sorted(told))


def alarms_list(judged: Sequence[Judged], rule_set: str = DEFAULT) -> str:
    """Every healthy run that was told a warning or worse."""
    return _bullets(
        f"`{one.run.name}`: {', '.join(one.outcomes[rule_set].loud)}"
        for one in alarmed(judged, rule_set)
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
