"""`paramedic run`: what it costs, and whether its patches work on the ten examples.

python benchmarks/run.py                       all of it, into docs/benchmarks/run.md and run.json
python benchmarks/run.py --parts steps,start   only these; the others stay as they were measured
python benchmarks/run.py --render              the page again, from what was measured

`start`: what comes before and after a script's own work. `steps`: what a step of a running
script costs. `whole`: the wall time of whole scripts. `fixes`: `paramedic run --fix` on the sick
examples. Give it a core of its own (`taskset -c 1 …`) for the first three.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "benchmarks", ROOT / "src"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
for library in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"
os.environ["PYTHONPATH"] = str(ROOT / "src")
# Where Python is told not to keep what it compiled, a package from source starts slower each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
PARTS = ("start", "steps", "whole", "fixes")


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    kept = options.out / "run.json"
    results: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    from run_parts.page import page

    for name in () if options.render else options.parts.split(","):
        begin = time.monotonic()
        results[name] = {**_measured(name, options.repeats), "machine": _machine()}
        results[name]["seconds"] = round(time.monotonic() - begin)
        kept.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (options.out / "run.md").write_text(page(results), encoding="utf-8")
    print(options.out / "run.md")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", default=",".join(PARTS), help="which, by commas")
    parser.add_argument("--repeats", type=int, help="other than the usual number")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/benchmarks", help="the page")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page")
    return parser


def _measured(part: str, repeats: int | None) -> dict[str, Any]:
    from run_parts import fixes, steps, whole

    if part == "start":
        return whole.start(repeats or 15)
    if part == "steps":
        return steps.measured(repeats or 5)
    if part == "whole":
        return whole.scripts(repeats or 5)
    if part == "fixes":
        return fixes.measured(ROOT / "examples")
    raise SystemExit(f"There is no part `{part}`; there are {', '.join(PARTS)}.")


def _machine() -> dict[str, Any]:
    from overhead_parts.machine import machine

    return machine()


if __name__ == "__main__":
    sys.exit(main())
