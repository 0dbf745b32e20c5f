"""The page: words first, then tables and the picture; every number comes from the JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from paramedic.prescribe.calibration import brier, expected_calibration_error, reliability
from paramedic.prescribe.confidence import LEAST
from paramedic.prescribe.ranking import Ranking

from .fitting import Fitted, claims, dual, single
from .trial import Trial

NOTE = "<!-- Written by `benchmarks/remedies.py`; edit that, not this. -->"
GOAL = 0.1  # expected calibration error
METHOD = """\
Every sick run of the zoo (`benchmarks/zoo`) is trained under our eyes and judged. Against the \
root of its diagnosis, right or wrong, each cure that has a dose for it is applied to it by a \
machine, as a user who follows the advice would, and the run is trained again from the same seed \
and judged again. It *worked* if the problem is not there at the end and the run is not worse than \
untreated and has won back at least a quarter of what the fault had cost, in validation score or \
loss, against its sound twin; where the fault had cost nothing, as in a run that is past its \
best, not being worse is enough. Runs of \
the tuning half are counted into the confidence, also those that judged an earlier measurement and \
became part of it (`--judge`); the runs of the judging half, which have other architectures, data \
and seeds, are not, and show whether it keeps its word. Runs in which nothing \
was found have no remedy and do not count here (`detection.md` counts them). What needs a person \
(`check-data`) or a live run (`roll-back`) cannot be tried so and keeps its prior."""


def write(results: dict[str, Any], trials: list[Trial], fitted: Fitted, folder: Path) -> Path:
    """Draw the picture and write `remedies.md`."""
    from .plots import draw

    folder.mkdir(parents=True, exist_ok=True)
    picture = draw(trials, fitted, folder)
    page = folder / "remedies.md"
    page.write_text("\n\n".join(_sections(results, trials, fitted, picture)) + "\n")
    return page


def _sections(
    results: dict[str, Any], trials: list[Trial], fitted: Fitted, picture: str | None
) -> Iterable[str]:
    yield "# How often remedies help"
    yield NOTE
    yield _summary(trials, fitted)
    if picture:
        yield f"![Reliability: what was claimed against what happened]({picture})"
    yield "## Does confidence keep its word?"
    yield _reliability(trials, fitted)
    yield "## Each remedy"
    yield (
        "*Confidence* is what a user is told, from the prior and the tuning half; below "
        f"{LEAST:g} nothing is advised. *First* counts how often the remedy that is advised first "
        "worked."
    )
    yield _remedies(trials, fitted)
    yield _first(trials, fitted)
    if any(dual(trials, part) for part in ("fit", "held")):
        yield "## Two faults at once"
        yield _duals(trials, fitted)
    yield "## How it was measured"
    yield METHOD
    yield _facts(results)


def _summary(trials: list[Trial], fitted: Fitted) -> str:
    held = claims(single(trials, "held"), fitted)
    if not held:
        return "No run of the judging half was treated."
    error = expected_calibration_error(held)
    worked = sum(one for _, one in held)
    claimed = sum(confidence for confidence, _ in held) / len(held)
    verdict = "**met**" if error <= GOAL else "**missed**"
    return (
        f"Of {len(held)} remedies that are advised in runs that were not used for fitting, "
        f"{worked} worked ({worked / len(held):.0%}); {claimed:.0%} was claimed. The expected "
        f"calibration error is {error:.3f} (goal ≤ {GOAL:g}: {verdict}), the Brier score "
        f"{brier(held):.3f}."
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _reliability(trials: list[Trial], fitted: Fitted) -> str:
    rows = []
    for part, name in (("held", "judging half, not used"), ("fit", "tuning half, fitted")):
        pairs = claims(single(trials, part), fitted)
        for row in reliability(pairs):
            rows.append(
                (name, f"{row.low:.1f}–{row.high:.1f}", row.count, f"{row.confidence:.2f}",
                 f"{row.worked:.2f}")
            )  # fmt: skip
    return _table(("runs", "confidence", "remedies", "claimed", "worked"), rows)


def _remedies(trials: list[Trial], fitted: Fitted) -> str:
    pairs = sorted({(one.problem, one.remedy) for one in single(trials, "fit")}
                   | {(one.problem, one.remedy) for one in single(trials, "held")})  # fmt: skip
    rows = [
        (problem, remedy, f"{fitted.confidence(problem, remedy):.2f}",
         _count(single(trials, "fit"), problem, remedy),
         _count(single(trials, "held"), problem, remedy))
        for problem, remedy in pairs
    ]  # fmt: skip
    return _table(("problem", "remedy", "confidence", "tuning half", "judging half"), rows)


def _count(trials: list[Trial], problem: str, remedy: str) -> str:
    found = [one.worked for one in trials if (one.problem, one.remedy) == (problem, remedy)]
    return f"{sum(found)} of {len(found)}" if found else "–"


def first_of_each(trials: Iterable[Trial], fitted: Fitted) -> list[Trial]:
    """Of each run the remedy that is advised first."""
    runs: dict[tuple[str, int], list[Trial]] = {}
    for one in trials:
        if fitted.confidence(one.problem, one.remedy) >= LEAST:
            runs.setdefault((one.run, one.seed), []).append(one)
    return [
        max(found, key=lambda one: fitted.confidence(one.problem, one.remedy))
        for found in runs.values()
    ]


def _first(trials: list[Trial], fitted: Fitted) -> str:
    parts = []
    for part, name in (("held", "judging"), ("fit", "tuning")):
        first = first_of_each(single(trials, part), fitted)
        worked = sum(one.worked for one in first)
        some = {(one.run, one.seed) for one in single(trials, part) if one.worked}
        parts.append(
            f"In the {name} half the remedy advised first worked in {worked} of {len(first)} runs; "
            f"some remedy worked in {len(some)}."
        )
    return " ".join(parts)


def _duals(trials: list[Trial], fitted: Fitted) -> str:
    from .ordering import best_of_each

    rows = []
    unlearned = replace(fitted, ranking=Ranking())
    counts = {
        part: [_ended(best_of_each(dual(trials, part), table)) for table in (fitted, unlearned)]
        for part in ("fit", "held")
    }
    for part in ("fit", "held"):
        for one in best_of_each(dual(trials, part), fitted):
            ended = "yes" if one.all_gone and one.worked else "no"
            rows.append(
                (one.run.removeprefix("dual/"), part, one.seed, ", ".join(one.problems),
                 one.remedy, ended)
            )  # fmt: skip
    words = (
        f"Of the runs whose seeds were not used for fitting, what the learned ranking puts first "
        f"ended everything in {counts['held'][0]}; by the confidences alone it would be "
        f"{counts['held'][1]} (on the seeds it was fitted on: {counts['fit'][0]} and "
        f"{counts['fit'][1]}). Some of these pairs have no single remedy at all, such as a "
        "forgotten `zero_grad` beside a rate that is too high."
    )
    head = ("run", "part", "seed", "problems", "ranked first", "ended all")
    return f"{words}\n\n{_table(head, rows)}"


def _ended(trials: Sequence[Trial]) -> str:
    return f"{sum(one.all_gone and one.worked for one in trials)} of {len(trials)}"


def _facts(results: dict[str, Any]) -> str:
    machine = results["machine"]
    untried = ", ".join(f"{problem} × {remedy}" for problem, remedy in results["untried"])
    return (
        f"Measured on {results['date']} by `make bench-remedies`: {results['runs']} runs, "
        f"{len(results['silent'])} of them silent, {len(results['trials'])} repairs, "
        f"{results['seconds'] / 60:.0f} minutes of one core ({machine['processor']}, torch "
        f"{machine['packages']['torch']}). Advised but not tried: {untried or 'nothing'}."
    )
