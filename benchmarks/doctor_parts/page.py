"""The page: words first, then tables and pictures; every number comes from the JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from overhead_parts.tables import table

from .counting import (
    Row,
    chosen,
    findings,
    found_at_the_end,
    interventions,
    is_close,
    is_found,
    is_named,
    is_one_event,
    is_resolved,
    is_silent,
    label,
    of_part,
    ratio,
    share,
    warnings,
)
from .goals import MET, MISSED, SO_FAR, Verdict, verdicts
from .plan import EVERY, EXPLODING, FACTORS, MODES, VANISHING

NOTE = "<!-- Written by `benchmarks/doctor.py`; edit that, not this. -->"
METHOD = """\
Small char-GPTs (0.1 to 0.8 million parameters, trained by AdamW or Adam, with a warm-up and then \
a constant rate or a cosine; for 240 steps, and by AdamW or SGD with momentum, where they are \
treated) learn the first 500,000 characters of tinyshakespeare, enwik8, wikitext2 and Moby-Dick on \
one thread. Faults are injected by `paramedic.inject` after a warm-up of 80 steps, as in the \
paper, which waits for 500 and has longer runs; gradients for one step, as in the paper, or where \
it says *lasting* to the end. Seeds up to 399 were there to find out what went wrong and to change \
rules and thresholds (those from 300 on were judged on before, and then looked into); all numbers \
here come from others. When attention begins to learn, gradients leap by themselves, ten to four \
hundred times at one step; what tells that from an injected leap is that it passes through the \
net: the layers next to the loss hardly move, and those before the layer that leaps leap too. SGD \
is left out where warnings are counted: it was before this was known. All \
runs of a comparison see the same batches. *Found* is when it is written to the log of the run \
(`watch(log=…)`) as evidence, which is what treatment acts on, counted in steps since the \
injection: 0 is the very step. A *warning* is what a user hears of from the logger: a fault, a \
symptom of a run that fails, or the most likely cause of one that is seen not to learn; what is \
found in a run that learns on is a note. A run in which nothing is wrong and whose verdict at its \
end is `not learning` or `diverged` counts as warned, too. Warnings and findings are those while a \
run goes on; what was found when it was over is told beside them. Until the verdict became a fact \
whatever was found was a warning as well, so that the goals on findings are those of earlier \
pages. *Every step* is `watch(overhead=None)`, \
*defaults* is `watch()`, which looks at a few steps and glances at the others; which ones depends \
on the speed of the machine, so these runs are not the same twice; how soon they find it is \
shown, and no goal. The paper's fixed rules (`rules="training-doctor"`) judge the recorded traces \
of the same runs at every step; a rule that holds already when the fault comes counts as found at \
once. A dual injection is *one event* if `monitor.emergency` has both within 12 steps, by their \
names or by what they bring about; it is *resolved by the first intervention* if `treat="auto"` \
did nothing afterwards for another reason (it may have had nothing to do at all) and the final \
validation loss is within 2 % of that of the run without faults, or better."""


def write(results: dict[str, Any], folder: Path) -> Path:
    """Draw the pictures and write `doctor.md`."""
    from .plots import draw

    pictures = draw(results, folder)
    page = folder / "doctor.md"
    page.write_text("\n\n".join(_sections(results, pictures)) + "\n", encoding="utf-8")
    return page


def _sections(results: dict[str, Any], pictures: Sequence[tuple[str, str]]) -> Iterable[str]:
    rows, found = results["rows"], verdicts(results)
    yield "# The Training Doctor's protocol"
    yield NOTE
    yield _summary(results, found)
    yield _goals(found)
    yield from (f"![{words}]({file})" for file, words in pictures)
    yield "## Injected gradients"
    yield _injections(of_part(rows, "injection"))
    yield _missed(of_part(rows, "injection"))
    yield "## Runs in which nothing is wrong"
    yield _alarms(of_part(rows, "alarm"))
    yield "## Two faults at once"
    yield _duals(of_part(rows, "dual"))
    yield '## Runs saved by `treat="auto"`'
    yield _rescues(of_part(rows, "rescue"))
    yield "## How it was measured"
    yield METHOD
    yield _facts(results)


def _summary(results: dict[str, Any], found: Sequence[Verdict]) -> str:
    rows = results["rows"]
    paper = [row for row in of_part(rows, "alarm") if row["task"]["mode"] == EVERY]
    warned = sum(bool(row["paper"]) for row in paper)
    rescues = of_part(rows, "rescue")
    met = [one for one in found if one.verdict.startswith(MET)]
    missed = "; ".join(
        f"{one.goal} ({one.seen})" for one in found if one.verdict.startswith(MISSED)
    )
    unfinished = results["planned"] - len(rows)
    more = f" {unfinished} of {results['planned']} planned runs are not measured yet." * (
        unfinished > 0
    )
    return (
        f"Of {len(found)} goals **{len(met)} met{SO_FAR * (unfinished > 0)}**"
        f"{f', missed: {missed}' if missed else ''}. The paper's own fixed rules warn in {warned} "
        f'of {len(paper)} runs in which nothing is wrong. With `treat="auto"` '
        f"{share(rescues, is_close)} injected runs end within 2 % of the uninjected run, untreated "
        f"{share(rescues, lambda row: is_close(row, 'untreated'))}.{more}"
    )


def _goals(found: Sequence[Verdict]) -> str:
    rows = [(one.goal, one.limit, one.seen, f"**{one.verdict}**") for one in found]
    return table(("goal", "limit", "measured", "verdict"), rows)


def _injections(rows: Sequence[Row]) -> str:
    lines = []
    for mode in MODES:
        for fault in (EXPLODING, VANISHING):
            for where in ("all layers", "one layer"):
                for lasts in ("one step", "lasting"):
                    some = chosen(rows, mode, fault=fault, where=where, lasts=lasts)
                    lines.append((f"{fault} {FACTORS[fault]}", where, lasts, mode, *_seen(some)))
    head = ("fault", "where", "how long", "looks", "found within 3 steps", "median delay",
            "named as the root", "paper's rules")  # fmt: skip
    return f"{table(head, lines)}\n\n{_heard(rows)}"


def _heard(rows: Sequence[Row]) -> str:
    """What a user is told of injections, whose runs mostly learn on."""
    warned = share(rows, lambda row: any(step >= label(row, "at") for step, _ in row["told"]))
    verdicts = _kinds(row["verdict"] for row in rows)
    return (
        f"A user was warned in {warned} of these runs, which end soon after the injection. Their "
        f"verdicts: {verdicts}."
    )


def _seen(rows: Sequence[Row]) -> tuple[str, str, str, str]:
    delays = [row["delay"] for row in rows if row["delay"] is not None]
    traced = [row for row in rows if row["task"]["mode"] == EVERY]
    return (
        share(rows, is_found),
        f"{median(delays):g}" if delays else "–",
        share(rows, is_named),
        share(traced, lambda row: row["paper"] is not None),
    )


def _missed(rows: Sequence[Row]) -> str:
    """The runs that are not as they should be, one by one."""
    lines = []
    for row in rows:
        if is_found(row) and is_named(row) and not row["found_before"]:
            continue
        layers = row["task"]["shots"][0]["settings"].get("layers") or ["all layers"]
        said = ", ".join(f"{slug} at {step}" for step, slug in row["found"]) or "nothing"
        patient = row["task"]["patient"]
        lines.append(
            (f"{patient['text']}, {patient['optimizer']}", label(row, "fault"), layers[0],
             label(row, "lasts"), row["task"]["mode"], f"{label(row, 'at')}", said)
        )  # fmt: skip
    if not lines:
        return "In every run the fault was found in time, first and by its name."
    head = ("run", "fault", "where", "how long", "looks", "at step", "what was found")
    return f"Runs in which it went otherwise:\n\n{table(head, lines)}"


def _alarms(rows: Sequence[Row]) -> str:
    lines = []
    for mode in MODES:
        some = [row for row in rows if row["task"]["mode"] == mode]
        steps = f"{sum(row['task']['patient']['steps'] for row in some):,}"
        warned = share(some, lambda row: not is_silent(row))
        found = share(some, lambda row: bool(findings(row)))
        lines.append(
            ("Paramedic", mode, steps, warned, _count(map(warnings, some)), found,
             _count(map(findings, some)))
        )  # fmt: skip
        if mode == EVERY:
            warned = share(some, lambda row: bool(row["paper"]))
            count = _count(row["paper"] for row in some)
            lines.append(("Training Doctor's fixed rules", mode, steps, *(warned, count) * 2))
    head = ("rules", "looks", "steps", "runs with a warning", "warnings",
            "runs with a finding", "findings")  # fmt: skip
    paper = _kinds(slug for row in rows for _, slug in row["paper"])
    ended = [row for row in rows if found_at_the_end(row)]
    late = _kinds(slug for row in ended for slug in found_at_the_end(row))
    return (
        f"{table(head, lines)}\n\nThe warnings of the paper's rules: {paper}. When they were over, "
        f"something was found in {len(ended)} of the {len(rows)} runs, which are short: {late}. "
        f"Their verdicts: {_kinds(row['verdict'] for row in rows)}."
    )


def _kinds(slugs: Iterable[str]) -> str:
    counts: dict[str, int] = {}
    for slug in slugs:
        counts[slug] = counts.get(slug, 0) + 1
    return ", ".join(f"{slug} {count}" for slug, count in sorted(counts.items())) or "none"


def _count(several: Iterable[Sequence[Any]]) -> str:
    return f"{sum(map(len, several))}"


def _duals(rows: Sequence[Row]) -> str:
    lines = []
    for kind in dict.fromkeys(label(row, "kind") for row in rows):
        some = chosen(rows, kind=kind)
        lines.append(
            (kind, f"{len(some)}", share(some, is_one_event), share(some, is_resolved),
             share(some, lambda row: not interventions(row)),
             share(some, lambda row: is_close(row, "untreated")), _best(some))
        )  # fmt: skip
    head = ("faults", "runs", "one event", "resolved by the first intervention",
            "needed none", "within 2 % untreated", "advised first")  # fmt: skip
    return table(head, lines)


def _best(rows: Sequence[Row]) -> str:
    """What the emergencies advise first, and how often."""
    counts: dict[str, int] = {}
    for row in rows:
        if row["emergencies"]:
            best = row["emergencies"][-1]["best"] or "nothing"
            counts[best] = counts.get(best, 0) + 1
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "–"


def _rescues(rows: Sequence[Row]) -> str:
    lines = []
    for kind in (*dict.fromkeys(label(row, "kind") for row in rows), "all"):
        some = rows if kind == "all" else chosen(rows, kind=kind)
        lines.append(
            (kind, f"{len(some)}", share(some, is_close),
             share(some, lambda row: is_close(row, "untreated")),
             _ratios(some, "treated"), _ratios(some, "untreated"))
        )  # fmt: skip
    head = ("fault", "runs", "within 2 %, treated", "within 2 %, untreated",
            "ratio, treated (worst)", "ratio, untreated (worst)")  # fmt: skip
    return table(head, lines)


def _ratios(rows: Sequence[Row], which: str) -> str:
    """The median and the worst ratio, and how many were not finite."""
    found = [one for row in rows if (one := ratio(row, which)) is not None]
    lost = len(rows) - len(found)
    words = f"{median(found):.3f} ({max(found):.3f})" if found else "–"
    return f"{words}, {lost} not finite" if lost else words


def _facts(results: dict[str, Any]) -> str:
    machine = results["machine"]
    return (
        f"Measured on {results['date']} by `make bench-doctor`: {len(results['rows'])} of "
        f"{results['planned']} planned runs; {machine['processor']}, {machine['cores']} cores, one "
        f"thread, torch {machine['packages']['torch']}. What watching costs is in "
        "[overhead.md](overhead.md)."
    )
