"""Whether the verdicts are true on trainings by other people's packages; writes a page.

python benchmarks/ecosystem.py                      both halves, into docs/benchmarks/
python benchmarks/ecosystem.py --half "looked at"   one half; what is said of each run, no page
python benchmarks/ecosystem.py --only 'keras_*'     some drivers; the same
python benchmarks/ecosystem.py --again              runs anew what has a result already

The drivers need the packages of `benchmarks/ecosystem/requirements.txt` and the folder of data
that the environment variable PARAMEDIC_DATA names.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks")]

from ecosystem.cases import COUNTED, LOOKED_AT, cases  # noqa: E402
from ecosystem.judging import Judged, judged, totals  # noqa: E402
from ecosystem.page import write_page  # noqa: E402
from ecosystem.running import run_all  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    data = Path(os.environ.get("PARAMEDIC_DATA") or ROOT.parent / "shared" / "data")
    if not data.is_dir():
        sys.exit(f"no data: {data} is missing; set PARAMEDIC_DATA to the folder that has it")
    chosen = [case for case in cases(options.half) if fnmatch.fnmatch(case.name, options.only)]
    run_all(chosen, options.results, options.jobs, again=options.again)
    found = [one for case in chosen if (one := judged(case, options.results)) is not None]
    if options.half or options.only != "*":
        _show(found)
    else:
        write_page(found, ROOT / "docs/benchmarks")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=(LOOKED_AT, COUNTED), help="only this half")
    parser.add_argument("--only", default="*", help="only drivers whose names match")
    parser.add_argument("--again", action="store_true", help="run anew what has a result")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument("--results", type=Path, default=ROOT / "build/ecosystem")
    return parser


def _show(found: list[Judged]) -> None:
    """Details of what may be looked at; of the other half only the totals."""
    for one in found:
        if one.case.half == LOOKED_AT:
            mark = "ok " if one.right and not one.untrue else "BAD"
            own = one.outcome or one.error[-200:]
            print(f"{mark} {one.case.key}: own {own}; {one.verdict}: {one.reason}")
            print(f"      {one.metric}; warnings {list(one.warnings)}; causes {list(one.causes)}")
    for half in (LOOKED_AT, COUNTED):
        print(half, totals([one for one in found if one.case.half == half]))


if __name__ == "__main__":
    sys.exit(main())
