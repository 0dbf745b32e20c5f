"""The Training Doctor's protocol: injected faults on small char-GPTs, found and treated.

python benchmarks/doctor.py             all of it, into docs/benchmarks/
python benchmarks/doctor.py --quick     one run of each kind, without data, into build/doctor-quick
python benchmarks/doctor.py --render    the page from what was measured so far
python benchmarks/doctor.py --overhead  the cost of watching, too, on a machine that rests

Every run is kept in build/doctor as soon as it is over: an interrupted measurement goes on where it
stopped, as long as the code is the same. The texts must be there: the environment variable
PARAMEDIC_DATA names their folder.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "benchmarks", ROOT / "src"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
for library in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

SCHEMA = 1


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    quick = options.quick
    out = options.out or ROOT / ("build/doctor-quick" if quick else "docs/benchmarks")
    results = _measure(options, options.cache or ROOT / "build/doctor")
    out.mkdir(parents=True, exist_ok=True)
    _save(results, out / "doctor.json")
    from doctor_parts import page

    print(f"wrote {page.write(results, out)}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one run of each kind, no data")
    parser.add_argument("--render", action="store_true", help="train nothing, write the page")
    parser.add_argument("--overhead", action="store_true", help="measure what watching costs")
    parser.add_argument("--out", type=Path, help="folder of the JSON, the page and the pictures")
    parser.add_argument("--cache", type=Path, help="folder in which runs are kept")
    return parser


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    import torch
    from doctor_parts import running, texts
    from doctor_parts.cache import Cache
    from doctor_parts.plan import tasks
    from overhead_parts.machine import machine

    quick = options.quick
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    if not quick and texts.missing():
        sys.exit(
            f"Not in `{texts.folder()}`: {', '.join(texts.missing())}. Set the environment "
            "variable PARAMEDIC_DATA to the folder that has them."
        )
    cache, planned = Cache(folder), tasks(quick=quick)
    rows = running.known(planned, cache) if options.render else running.run(planned, cache)
    return {
        "schema": SCHEMA,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "planned": len(planned),
        "overhead": {} if quick else running.overhead(cache, measure=options.overhead),
        "rows": rows,
    }


def _save(results: dict[str, Any], file: Path) -> None:
    """A line for each run, so that two measurements can be compared line by line."""
    head = {key: value for key, value in results.items() if key != "rows"}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    rows = ",\n".join(f"  {json.dumps(row)}" for row in results["rows"])
    text = "{\n" + ",\n".join([*lines, f' "rows": [\n{rows}\n ]']) + "\n}\n"
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
