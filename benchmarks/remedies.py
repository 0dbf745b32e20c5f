"""Does what is advised help? Treats sick runs of the zoo, counts, and writes a page.

python benchmarks/remedies.py                        all of it, into docs/benchmarks/
python benchmarks/remedies.py --only 'dying-relu/*'  some runs, into build/remedies/
python benchmarks/remedies.py --judge                only the judging half; the rest stays
python benchmarks/remedies.py --render               the page again from the JSON

Each sick run is trained, judged, and trained again from the same seed with each remedy that is
advised against its root. The counts of the tuning half become `prescribe/outcomes.json`, and those
of runs with two faults `prescribe/ranking.json`; the judging half, with other architectures, data
and seeds, shows whether the confidence that follows keeps its word. The data must be there: the
environment variable PARAMEDIC_DATA names their folder.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "benchmarks", ROOT / "src"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
for library in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

SCHEMA = 1
TABLES = ROOT / "src/paramedic/prescribe"
COMMAND = "make bench-remedies"
SLOW = (("cnn", "cifar10"), ("transformer", "exchange"), ("transformer", "imdb"))
PER_SICKNESS = {"tuning": 12, "judging": 8}  # kinds of runs of each sickness, at most
DUAL_SEEDS = {"fit": (0, 1), "held": (10, 11)}


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    partial = bool(options.only or options.part)
    out = options.out or ROOT / ("build/remedies" if partial else "docs/benchmarks")
    results = _load(out) if options.render else _measure(options, out)
    _render(results, out, tables=not partial)
    return 1 if results["failed"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", help="only runs whose names match, as `dying-relu/*`")
    parser.add_argument("--part", choices=("fit", "held"), help="only the runs of one part")
    parser.add_argument("--out", type=Path, help="folder of the JSON, the page and the picture")
    parser.add_argument("--judge", action="store_true", help="judge anew by what was measured")
    parser.add_argument("--render", action="store_true", help="train nothing, write the page")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    return parser


def _tasks(only: str | None, part: str | None) -> list[Any]:
    """What is to be treated: of each sickness a few kinds of runs, without the slowest."""
    from remedies_parts.duals import DUALS
    from remedies_parts.trials import Task
    from zoo.catalogue import recipes

    parts = {"tuning": "fit", "judging": "held"}
    kinds: dict[tuple[str, str], dict[str, Any]] = {}
    for one in recipes().values():
        if one.slug and (one.architecture, one.dataset) not in SLOW:
            kinds.setdefault((one.slug, one.half), {}).setdefault(one.name.rpartition("-s")[0], one)
    tasks = [
        Task(one.name, one.seed, parts[half])
        for (_, half), several in kinds.items()
        for one in _spread(list(several.values()), PER_SICKNESS[half])
    ]
    tasks += [
        Task(name, seed, of) for name in DUALS for of, seeds in DUAL_SEEDS.items() for seed in seeds
    ]
    return [
        task
        for task in tasks
        if (not only or fnmatch(task.name, only)) and part in (None, task.part)
    ]


def _spread(several: list[Any], count: int) -> list[Any]:
    """So many of them at most, from all along the list: nets that are alike stand together."""
    count = min(count, len(several))
    return [several[place * len(several) // count] for place in range(count)]


def _measure(options: argparse.Namespace, out: Path) -> dict[str, Any]:
    from overhead_parts.machine import machine

    tasks = _tasks(options.only, options.part)
    if not tasks:
        sys.exit(f"No sick run matches `{options.only}`.")
    before = _learned(_load(out)) if options.judge else {}
    if before:
        tasks = [one for one in tasks if one.part == "held" and not one.is_dual]
    answers = _in_two_rounds(tasks, options.jobs, before.get("trials", []))
    for one in answers:
        if one.failure:
            print(f"\n{one.task.name} failed:\n{one.failure}")
    untried = {tuple(pair) for pair in before.get("untried", [])}
    trials = before.get("trials", []) + [one.to_json() for each in answers for one in each.trials]
    results = {
        "schema": SCHEMA,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "seconds": round(before.get("seconds", 0.0) + sum(one.seconds for one in answers), 1),
        "failed": sorted(one.task.name for one in answers if one.failure),
        "runs": len(tasks) + len({(one["run"], one["seed"]) for one in before.get("trials", [])}),
        "silent": sorted(one.task.name for one in answers if one.silent),
        "untried": sorted(untried | {pair for one in answers for pair in one.untried}),
        "trials": trials,
    }
    _save(results, out)
    return results


def _learned(results: dict[str, Any]) -> dict[str, Any]:
    """What was measured, without the judging half as it is now: runs that judged before and have
    become runs to learn from are learned from."""
    from zoo.catalogue import recipes

    known, kept = recipes(), []
    for trial in results["trials"]:
        recipe = known.get(trial["run"])
        if recipe is None:  # of two faults
            kept.append(trial)
        elif recipe.half == "tuning":
            kept.append(trial | {"part": "fit"})
    return results | {"trials": kept}


def _in_two_rounds(tasks: list[Any], jobs: int, before: list[Any]) -> list[Any]:
    """First what the confidence is fitted on; then, with it, only what would be advised."""
    from remedies_parts import fitting
    from remedies_parts.trial import Trial

    from paramedic.prescribe.confidence import LEAST

    first = [task for task in tasks if task.part == "fit" and not task.is_dual]
    answers = list(_answers(first, jobs))
    trials = [Trial.from_json(one) for one in before]
    trials += [trial for one in answers for trial in one.trials]
    outcomes = fitting.fit(trials, "", COMMAND).outcomes
    rest = [replace(task, outcomes=outcomes, least=LEAST) for task in tasks if task not in first]
    return answers + list(_answers(rest, jobs))


def _answers(tasks: list[Any], jobs: int) -> Iterator[Any]:
    """In the order of the tasks, with a line of progress each."""
    from remedies_parts.trials import answer

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = {pool.submit(answer, task): place for place, task in enumerate(tasks)}
        found: dict[int, Any] = {}
        for count, future in enumerate(as_completed(futures), 1):
            one = found[futures[future]] = future.result()
            worked = sum(trial.worked for trial in one.trials)
            state = "FAILED" if one.failure else f"{worked} of {len(one.trials)} worked"
            line = f"{count} of {len(tasks)}  {one.task.name}  {state}  {one.seconds:.1f} s"
            print(line, flush=True)
    yield from (found[place] for place in sorted(found))


def _save(results: dict[str, Any], out: Path) -> None:
    """A line for each trial, so that two measurements can be compared line by line."""
    out.mkdir(parents=True, exist_ok=True)
    head = {key: value for key, value in results.items() if key != "trials"}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    trials = ",\n".join(f"  {json.dumps(_finite(trial))}" for trial in results["trials"])
    text = "{\n" + ",\n".join([*lines, f' "trials": [\n{trials}\n ]']) + "\n}\n"
    (out / "remedies.json").write_text(text)


def _finite(trial: dict[str, Any]) -> dict[str, Any]:
    """Scores in few digits; JSON has no NaN."""
    return {
        key: (round(value, 4) if abs(value) < 1e6 else None) if isinstance(value, float) else value
        for key, value in trial.items()
    }


def _load(out: Path) -> dict[str, Any]:
    file = out / "remedies.json"
    if not file.exists():
        sys.exit(f"There is nothing to render in `{out}`: measure first.")
    results: dict[str, Any] = json.loads(file.read_text())
    if results.get("schema") != SCHEMA:
        sys.exit(f"`{file}` has schema {results.get('schema')}, not {SCHEMA}: remove it.")
    return results


def _render(results: dict[str, Any], out: Path, *, tables: bool) -> None:
    from remedies_parts import fitting, page
    from remedies_parts.trial import Trial

    trials = [Trial.from_json(one) for one in results["trials"]]
    fitted = fitting.fit(trials, results["date"], COMMAND)
    if tables:
        fitting.write(fitted, TABLES)
    print(f"wrote {page.write(results, trials, fitted, out)}")


if __name__ == "__main__":
    sys.exit(main())
