"""The page `repair.md`: every number comes from the single results."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import mean, median

from . import goals, plots
from .cases import HEALTHY, NUMBERS, PROBLEMS
from .results import (
    FAR,
    JUDGED_HEALTHY,
    JUDGED_SICK,
    NAMES,
    Results,
    Row,
    half,
    load,
    middle,
    share,
)

NOTE = "<!-- Written by `benchmarks/repair.py`; edit that, not this. -->"
_CASES = len(NUMBERS) * len(PROBLEMS) + HEALTHY
METHOD = """\
AUTOTRAINER's protocol: each case is trained untouched to its end, and healed, from the same seed \
and the same initial weights. The data are theirs: Blob and Circle as they come with their code, \
and draws of 1,024 training samples of MNIST (14×14), CIFAR-10 (16×16), IMDB and Reuters (48 \
words, the eight most frequent topics), each with 300 samples to validate on. Cases are drawn by \
a seed over depth, width, activation, initialiser, optimizer, rate, batch size, loss, output and \
scaling (`benchmarks/repair_parts/cases.py`); a sick one has one fault of the eight problems \
built in, as many of each. \
A fault does not always do harm: as in AUTOTRAINER, whose symptoms hold only below an accuracy of \
0.7, a case counts as *sick* if the untouched run ends below what sound models of its data reach \
(Blob 0.8, Circle and MNIST 0.7, IMDB and Reuters 0.55, CIFAR-10 0.2), or far below what it had \
reached itself: more than ten points of accuracy below its best epoch, a border that was set \
before the judged cases were drawn. The others are listed by themselves, and what was drawn \
healthy counts as *healthy* by the same rule. *Detected*: something serious was found. \
*Repaired*, strictly: the outcome is `healed` (nothing serious is left at the end, and the metric \
was not worse than that of the untouched run at the same step) and the accuracy at the end is not \
below that of the untouched run at its end. *Cost*: samples trained on in all attempts, tests of \
rates included, over those of one untouched run. *Gain*: accuracy at the end minus that of the \
untouched run, in points; an untouched run that ended in NaN has accuracy 0."""


def write(work: Path, out: Path) -> Path:
    """Draw the pictures and write the page."""
    out.mkdir(parents=True, exist_ok=True)
    results = load(work)
    pictures = plots.draw(results, out)
    page = out / "repair.md"
    page.write_text("\n\n".join(_sections(results, pictures)) + "\n", encoding="utf-8")
    summary = [_compact(row) for row in results.stages["race"]]
    (out / "repair.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return page


def _compact(row: Row) -> dict[str, object]:
    return {
        "case": row.case.to_json(), "status": row.status, "before": row.before,
        "after": row.after, "cost": row.cost,
        "problems": [one["slug"] for one in row.outcome["problems"]],
        "remedies": [one["remedy"] for one in row.remedies],
    }  # fmt: skip


def _sections(results: Results, pictures: list[tuple[str, str]]) -> Iterator[str]:
    yield "# Are sick trainings repaired?"
    yield NOTE
    yield _summary(results)
    yield "## The goals"
    yield goals.table(results, whole=_is_whole(results))
    yield "## Tuned on and judged"
    yield _parts(results)
    yield "## How it was measured"
    yield METHOD
    yield "## Each problem"
    yield _problems(results)
    yield "## What repaired them"
    yield _solutions(results)
    for name, title in pictures:
        yield f"![{title}]({name})"
    yield "## Each remedy alone"
    yield _effects(results)
    yield "## Race and sequence"
    yield _strategies(results)
    yield "## Time and memory"
    yield _time(results)
    yield "## Healthy cases"
    yield _healthy(results)
    yield "## What was not repaired"
    yield _left(results)
    yield "## Faults that did no harm"
    yield (
        "\n".join(
            f"- `{row.case.name}` ({row.case.dataset}, {row.case.network}): {_told(row)}"
            for row in results.unharmed()
        )
        or "None."
    )


def _is_whole(results: Results) -> bool:
    return len(results.stages["race"]) == _CASES


def _summary(results: Results) -> str:
    sick, healthy = results.sick(), results.healthy()
    done = (
        f"{len(results.stages['race'])} of {_CASES} cases: {len(sick)} sick, "
        f"{len(results.unharmed())} with a fault that did no harm, {len(healthy)} healthy, "
        f"{len(results.not_so_healthy())} drawn to be healthy that are not"
    )
    part = (
        "" if _is_whole(results) else " This is a part: the benchmark goes on where it was stopped."
    )
    if not sick:
        return f"Measured: {done}.{part}"
    found = [row for row in sick if row.detected]
    repaired = [row for row in sick if row.repaired]
    return (
        f"Measured: {done}.{part} Something was detected in {share(r.detected for r in sick)}; of "
        f"these {share(row.repaired for row in found)} are repaired by the strict rule, with a "
        f"gain of {middle((row.gain for row in repaired), '.1f')} points on average, at a cost of "
        f"{middle(row.cost for row in sick)} trainings (median {half(row.cost for row in sick)}). "
        f"Healthy cases that were changed: {sum(row.status != 'healthy' for row in healthy)} of "
        f"{len(healthy)}."
    )


def _parts(results: Results) -> str:
    """The same goals on the cases that were looked at while `heal` was written, and on the rest."""
    rows = []
    for name, judged in (("tuned on", False), ("judged", True)):
        part = results.part(judged)
        sick, healthy = part.sick(), part.healthy()
        rows.append([
            name, len(sick), share(row.repaired for row in sick if row.detected),
            middle((row.gain for row in sick if row.repaired), "+.1f"),
            f"{middle(r.cost for r in sick)} ({half(r.cost for r in sick)})",
            f"{sum(row.status != 'healthy' for row in healthy)} of {len(healthy)}",
            middle((row.cost for row in healthy), ".3f"),
        ])  # fmt: skip
    words = (
        f"The cases from number {JUDGED_SICK} of each problem on, and from {JUDGED_HEALTHY} of the "
        "healthy ones, were drawn when nothing of `heal` was changed any more; "
        f"{_done(results, judged=True)}. All others are called tuned on: failures of a part of "
        "them and totals of all were looked at, and changes were made by them and by further cases "
        f"that are not counted here; {_done(results, judged=False)}. All results of this page are "
        "of one version of the code, in which some detectors are newer than `heal`; measured once "
        "before that, the judged cases gave the same counts. The goals above are judged on all "
        "that is measured; the table tells the judged part by itself. "
        "[The page of the version before](repair.earlier.md) has "
        f"what that version did with all of the cases below {JUDGED_SICK}. Remedies alone and the "
        "sequence take long: they are measured on as many cases as their tables say, in the order "
        "in which cases are drawn."
    )
    head = ("part", "sick", "repaired of detected", "gain, points", "cost, mean (median)",
            "healthy changed", "cost of healthy")  # fmt: skip
    return words + "\n\n" + _table(head, rows)


def _done(results: Results, *, judged: bool) -> str:
    numbers = [number for number in NUMBERS if (number >= JUDGED_SICK) == judged]
    whole = len(numbers) * _CASES // len(NUMBERS)
    return f"{len(results.part(judged).stages['race'])} of {whole} are measured"


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    names = list(head)
    lines = [f"| {' | '.join(names)} |", f"| {' | '.join('---' for _ in names)} |"]
    return "\n".join(lines + [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows])


def _problems(results: Results) -> str:
    rows = []
    for problem in (*PROBLEMS, "all"):
        chosen = [row for row in results.sick() if problem in (row.case.problem, "all")]
        found = [row for row in chosen if row.detected]
        repaired = [row for row in chosen if row.repaired]
        rows.append([
            NAMES.get(problem, "**all**"), len(chosen), share(row.detected for row in chosen),
            half((row.delay for row in found), ".3f"), share(row.repaired for row in found),
            middle((row.gain for row in repaired), "+.1f"),
            f"{middle(r.before for r in chosen)} → {middle(r.after for r in chosen)}",
            f"{middle(r.cost for r in chosen)} ({half(r.cost for r in chosen)})",
        ])  # fmt: skip
    head = ("problem", "cases", "detected", "found after (median share)", "repaired of detected",
            "gain, points", "accuracy", "cost, mean (median)")  # fmt: skip
    return _table(head, rows)


def _solutions(results: Results) -> str:
    """Problem × remedy: how often a remedy was part of the repair."""
    counts: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in results.sick():
        for one in row.remedies if row.repaired else ():
            counts[NAMES[row.case.problem], f"{one['remedy']} (for {one['against']})"].append(
                row.gain
            )
    rows = [
        [problem, remedy, len(gains), f"{mean(gains):+.1f}"]
        for (problem, remedy), gains in sorted(
            counts.items(), key=lambda one: (one[0][0], -len(one[1]))
        )
    ]
    return _table(("problem", "remedy (for what was found)", "repaired", "mean gain"), rows)


def _not_measured(stage: str) -> str:
    return (
        f"Not measured with this version (`python benchmarks/repair.py --stages {stage}`); see "
        "[the page of the version before](repair.earlier.md)."
    )


def _effects(results: Results) -> str:
    if not results.effects:
        return _not_measured("effects")
    counts: dict[tuple[str, str], list[tuple[bool, float]]] = defaultdict(list)
    for effect in results.effects:
        for one in effect["effects"]:
            gain = 100 * ((one["metric"] or 0.0) - effect["before"])
            counts[effect["problem"], one["remedy"]].append((one["gone"], gain))
    rows = [
        [problem, remedy, len(seen), f"{100 * mean(gone for gone, _ in seen):.0f} %",
         f"{mean(gain for _, gain in seen):+.1f}"]
        for (problem, remedy), seen in sorted(counts.items())
    ]  # fmt: skip
    return _table(("what was found", "remedy", "cases", "gone at the end", "mean gain"), rows)


def _strategies(results: Results) -> str:
    known = {row.case.name: row for row in results.sick("sequential")}
    both = [(row, known[row.case.name]) for row in results.sick() if row.case.name in known]
    if not both:
        return _not_measured("sequential")
    rows = []
    for place, name in enumerate(("race", "sequential (AUTOTRAINER's order)")):
        chosen = [pair[place] for pair in both]
        rows.append([
            name, len(chosen), share(row.repaired for row in chosen if row.detected),
            middle((row.gain for row in chosen if row.repaired), "+.1f"),
            middle(row.cost for row in chosen), half(row.cost for row in chosen),
        ])  # fmt: skip
    return _table(("strategy", "cases", "repaired of detected", "gain", "cost", "median"), rows)


def _time(results: Results) -> str:
    """Processor time and peak memory against the untouched, unwatched run of the same case."""
    rows = []
    for name, chosen in (("sick", results.sick()), ("healthy", results.healthy())):
        timed = [row for row in chosen if row.untouched.get("seconds")]
        if timed:
            times = [row.outcome["seconds"] / row.untouched["seconds"] for row in timed]
            memory = [row.outcome["memory"] / row.untouched["memory"] for row in timed]
            rows.append([name, len(timed), f"{mean(times):.2f} ({median(times):.2f})",
                         f"{mean(memory):.2f}"])  # fmt: skip
    words = (
        "Processor time of the whole heal over that of the untouched run, which is not watched; "
        "every step of a heal is looked at in full, which on models as small as these costs more "
        "than the training. Healthy cases are trained once: they have no second run."
    )
    return words + "\n\n" + _table(("cases", "measured", "time, mean (median)", "memory"), rows)


def _healthy(results: Results) -> str:
    healthy, doubtful = results.healthy(), results.not_so_healthy()
    touched = [row for row in healthy if row.status != "healthy"]
    lines = [
        f"{len(healthy)} cases end with the accuracy that a sound model of their data has, and not "
        "more than ten points below their best epoch; cost "
        f"{middle((row.cost for row in healthy), '.3f')} on average. Changed: {len(touched)}."
    ]
    lines += [f"- `{row.case.name}` ({row.case.dataset}, {row.case.network}): {_told(row)}"
              for row in touched]  # fmt: skip
    if doubtful:
        lines.append(
            "\nDrawn to be healthy, but not so untouched, and counted neither as healthy nor as "
            f"sick: {len(doubtful)}."
        )
        lines += [f"- `{row.case.name}`: {_told(row)}" for row in doubtful]
    return "\n".join(lines)


def _told(row: Row) -> str:
    found = ", ".join(one["slug"] for one in row.outcome["problems"]) or "nothing"
    used = ", ".join(one["remedy"] for one in row.remedies) or "nothing"
    best = f" (best epoch {row.best:.3f})" if row.before < row.best - FAR else ""
    return (
        f"{row.status}, accuracy {row.before:.3f}{best} → {row.after:.3f}, cost {row.cost:.2f}, "
        f"found {found}; changed by {used}. {row.outcome.get('why', '')}".rstrip()
    )


def _left(results: Results) -> str:
    left = [row for row in results.sick() if not row.repaired]
    lines = [
        f"- `{row.case.name}` ({row.case.dataset}, {row.case.network}): {_told(row)}"
        for row in left
    ]
    lines += [f"- {error.splitlines()[0]}" for error in results.errors]
    return "\n".join(lines) or "Nothing."
