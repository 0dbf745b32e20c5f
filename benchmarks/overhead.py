"""What watching costs, next to other tools: measures, then writes a page.

python benchmarks/overhead.py                     all of it, into docs/benchmarks/
python benchmarks/overhead.py --quick             a smoke test, into build/overhead/
python benchmarks/overhead.py --only W2,memory    some parts; the others are kept
python benchmarks/overhead.py --only one-process --workloads W1b --again watch
python benchmarks/overhead.py --render            the page again from the JSON
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from overhead_parts import jobs
from overhead_parts.plans import PARTS, Options

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = 1


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    if options.job:
        jobs.perform(json.loads(options.job), options.job_out)
        return 0
    trial = options.quick or options.variants or options.repeats
    folder = options.out or ROOT / ("build/overhead" if trial else "docs/benchmarks")
    failed = [] if options.render else _measure(options, folder)
    _render(folder)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a smoke test of about two minutes")
    parser.add_argument("--only", type=_names, help=f"parts to measure, of {','.join(PARTS)}")
    parser.add_argument("--variants", type=_names, help="variants of W1 to W3 to measure")
    parser.add_argument("--workloads", type=_names, help="of one-process; the others are kept")
    parser.add_argument("--again", type=_names, help="variants of one-process; others are kept")
    parser.add_argument("--repeats", type=int, help="repeats of W1 to W3 and of the sweeps")
    parser.add_argument("--out", type=Path, help="folder of the JSON, the page and the pictures")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--job-out", type=Path, help=argparse.SUPPRESS)
    return parser


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _measure(options: argparse.Namespace, folder: Path) -> list[str]:
    """Measure part by part, saving after each; the names of the parts that failed."""
    from overhead_parts.registry import DEFAULT, VARIANTS

    parts = _known(options.only or list(PARTS), PARTS)
    variants = _known(options.variants or [one.name for one in DEFAULT], VARIANTS)
    chosen = Options(options.quick, options.repeats, options.again or variants, options.workloads)
    failed = []
    for name in parts:
        print(f"{name} …", flush=True)
        begin = time.monotonic()
        if (result := PARTS[name](chosen)) is None:
            failed.append(name)
            continue
        seconds = round(time.monotonic() - begin, 1)
        print(f"{name} took {seconds:.0f} s", flush=True)
        _save(folder, name, {**result, "quick": options.quick, "took_seconds": seconds})
    return failed


def _known(names: list[str], known: dict[str, Any]) -> list[str]:
    for name in names:
        if name not in known:
            sys.exit(f"`{name}` is unknown; choose among {', '.join(known)}.")
    return names


def _load(folder: Path) -> dict[str, Any]:
    file = folder / "overhead.json"
    if not file.exists():
        return {"schema": SCHEMA, "parts": {}}
    results = json.loads(file.read_text())
    if results.get("schema") != SCHEMA:
        sys.exit(f"`{file}` has schema {results.get('schema')}, not {SCHEMA}: remove it.")
    return results


def _save(folder: Path, name: str, part: dict[str, Any]) -> None:
    results = _load(folder)
    if name == "one-process":
        part = _kept(results["parts"].get(name, {}), part)
    results["parts"][name] = part
    results["parts"] = {key: results["parts"][key] for key in PARTS if key in results["parts"]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "overhead.json").write_text(json.dumps(results, indent=1) + "\n")


def _kept(before: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """What was measured now, and what was measured before of other workloads and variants."""
    runs = dict(before.get("workloads", {}))
    for name, run in part["workloads"].items():
        others = runs.get(name, {}).get("variants", {})
        runs[name] = {**run, "variants": {**others, **run["variants"]}}
    return {**part, "workloads": runs}


def _render(folder: Path) -> None:
    from overhead_parts import page

    results = _load(folder)
    if not results["parts"]:
        sys.exit(f"There is nothing to render in `{folder}`: measure first.")
    print(f"wrote {page.write(results, folder)}")


if __name__ == "__main__":
    sys.exit(main())
