"""Are sick trainings repaired? AUTOTRAINER's protocol on its six data sets; writes a page.

python benchmarks/repair.py                        all of it, into docs/benchmarks/
python benchmarks/repair.py --stages race          only these stages (untouched is always there)
python benchmarks/repair.py --only 'VG-*'          some cases
python benchmarks/repair.py --minutes 30           stop beginning new cases after so long
python benchmarks/repair.py --render               the page again, from what was measured

Each case is trained untouched to its end, and healed, from the same seed and the same weights.
Results are kept case by case in `build/repair`; what is there is not measured again, so that the
benchmark can be interrupted at any time. The data must be there: the environment variable
PARAMEDIC_DATA names their folder.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "benchmarks", ROOT / "src"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
for library in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    if not options.render:
        _measure(options)
    from repair_parts.page import write

    print(write(options.work, options.out))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stages", default="race,sequential,effects", help="which, by commas")
    parser.add_argument("--only", default="*", help="only cases whose names match")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing new after this")
    parser.add_argument("--work", type=Path, default=ROOT / "build/repair", help="single results")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/benchmarks", help="the page")
    parser.add_argument("--render", action="store_true", help="train nothing, write the page")
    return parser


def _measure(options: argparse.Namespace) -> None:
    from repair_parts.cases import cases
    from repair_parts.measuring import measured

    options.work.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * options.minutes
    chosen = [case for case in cases() if fnmatch(case.name, options.only)]
    for stage in options.stages.split(","):
        for case in chosen:
            if case.problem == "" and stage == "effects":
                continue
            if time.monotonic() > end:
                return
            result = measured(case, stage, options.work)
            left_alone = result.get("status") == "healthy"  # then it is the untouched run
            first = result if left_alone else measured(case, "untouched", options.work)
            print(_line(case.name, first, result), flush=True)


def _line(name: str, first: dict[str, object], result: dict[str, object]) -> str:
    if "error" in result:
        return f"{name} {result['stage']}: {str(result['error']).splitlines()[-1]}"
    told = {key: result.get(key) for key in ("status", "after", "cost", "why") if key in result}
    before = first.get("metric") if first is not result else result.get("after")
    return f"{name} {result['stage']}: untouched {before}, {told}"


if __name__ == "__main__":
    sys.exit(main())
