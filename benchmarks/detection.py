"""How well sick runs are recognised, next to other rules: judges the zoo, then writes a page.

python benchmarks/detection.py                        all of it, into docs/benchmarks/
python benchmarks/detection.py --half judging         one half, into build/detection/
python benchmarks/detection.py --only 'dying-relu/*'  some runs, into build/detection/
python benchmarks/detection.py --as-is                what is recorded, into build/detection/
python benchmarks/detection.py --render               the page again from the JSON

Runs that are not recorded yet are recorded first, for which the data must be there: the
environment variable PARAMEDIC_DATA names their folder. A full run also writes the rates that the
catalogue shows; `make catalogue` afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "benchmarks", ROOT / "src"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
for library in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

SCHEMA = 2
RATES = ROOT / "src/paramedic/diagnose/rates.json"
HALVES = ("tuning", "judging")


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    partial = bool(options.half or options.only or options.as_is)
    out = options.out or ROOT / ("build/detection" if partial else "docs/benchmarks")
    results = _load(out) if options.render else _measure(options, out)
    _render(results, out)
    _print_shown(results)
    rates = not partial and not options.render if options.rates is None else options.rates
    if rates:
        _write_rates(results)
    return 1 if results["failed"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=HALVES, help="only the runs to tune or to judge on")
    parser.add_argument("--only", help="only runs whose names match, as `dying-relu/*`")
    parser.add_argument("--zoo", type=Path, default=ROOT / "build/zoo", help="folder of the traces")
    parser.add_argument("--as-is", action="store_true", help="record nothing, judge what is there")
    parser.add_argument("--out", type=Path, help="folder of the JSON, the page and the pictures")
    parser.add_argument("--render", action="store_true", help="judge nothing, write the page")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument(
        "--rates",
        action=argparse.BooleanOptionalAction,
        help="write the rates of the detectors (default: in a full run)",
    )
    return parser


def _measure(options: argparse.Namespace, out: Path) -> dict[str, Any]:
    """Record what is missing, judge everything, save."""
    from detection_parts import goals, judging, recording
    from detection_parts.speed import speed
    from overhead_parts.machine import machine

    chosen = (options.half, options.only)
    if not options.as_is and recording.record_missing(options.zoo, *chosen, options.jobs):
        print("Some runs could not be recorded; the others are judged.", flush=True)
    names = recording.wanted(*chosen)
    runs = recording.recorded(options.zoo, names)
    if not runs:
        sys.exit(f"No recorded run in `{options.zoo}` matches.")
    print(f"{len(runs)} of {len(names)} runs are recorded; judging them …", flush=True)
    answers = judging.judge_all(runs, options.zoo, options.jobs)
    for answer in answers:
        if answer.failure:
            print(f"\n{answer.name} failed:\n{answer.failure}")
    print("measuring the speed …", flush=True)
    judged = [answer.judged for answer in answers if answer.judged]
    results = {
        "schema": SCHEMA,
        "shown": goals.shown(judged),
        "expected": recording.expected(),
        "speed": speed(),
        "machine": machine(),
        "failed": [answer.name for answer in answers if answer.failure],
        "runs": [one.to_json() for one in judged],
    }
    _save(results, out)
    return results


def _save(results: dict[str, Any], out: Path) -> None:
    """A line for each run, so that two measurements can be compared line by line."""
    out.mkdir(parents=True, exist_ok=True)
    head = {key: value for key, value in results.items() if key != "runs"}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    runs = ",\n".join(f"  {json.dumps(run)}" for run in results["runs"])
    text = "{\n" + ",\n".join([*lines, f' "runs": [\n{runs}\n ]']) + "\n}\n"
    (out / "detection.json").write_text(text)


def _load(out: Path) -> dict[str, Any]:
    file = out / "detection.json"
    if not file.exists():
        sys.exit(f"There is nothing to render in `{out}`: measure first.")
    results = json.loads(file.read_text())
    if results.get("schema") != SCHEMA:
        sys.exit(f"`{file}` has schema {results.get('schema')}, not {SCHEMA}: remove it.")
    return results


def _render(results: dict[str, Any], out: Path) -> None:
    from detection_parts import page
    from detection_parts.runs import Judged

    judged = [Judged.from_json(run) for run in results["runs"]]
    print(f"wrote {page.write(results, judged, out)}")


def _print_shown(results: dict[str, Any]) -> None:
    """What is told of healthy and of sick runs, half by half."""
    for half, counts in results["shown"].items():
        for name, one in counts.items():
            share = f" ({one['count'] / one['of']:.3f})" if one["of"] else ""
            print(f"{half} half: {name}: {one['count']} of {one['of']}{share}")


def _write_rates(results: dict[str, Any]) -> None:
    from detection_parts import rates
    from detection_parts.runs import Judged, of_half

    judged = [Judged.from_json(run) for run in results["runs"]]
    if len(of_half(judged, "judging")) < results["expected"]["judging"]:
        print("The judging half is not complete, so no rates were written.")
        return
    rates.write(judged, RATES)
    print(f"wrote {RATES}; now run `make catalogue`")


if __name__ == "__main__":
    sys.exit(main())
