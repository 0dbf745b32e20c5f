"""What Paramedic bears, and what it leaves behind: measures, then writes a page.

python benchmarks/reliability.py                      all of it, into docs/benchmarks/
python benchmarks/reliability.py --only kills,memory  some parts; the others are kept
python benchmarks/reliability.py --quick              a smoke test, into build/reliability/
python benchmarks/reliability.py --render             the page again from the JSON

Every part is written down when it has ended; after an interruption `--only` measures the rest. The
parts use the tests of the project, whose bounded forms are in `make test`. It needs Linux: limits,
processes and memory are read from /proc.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT, ROOT / "src", ROOT / "benchmarks"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
os.environ["PYTHONPATH"] = str(ROOT / "src")
os.environ["OMP_NUM_THREADS"] = "1"
# In the order of the page; the gate takes longest.
PARTS = ("kills", "hiccups", "mutants", "server", "effects", "memory", "gate")


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    folder = ROOT / ("build/reliability" if options.quick else "docs/benchmarks")
    folder.mkdir(parents=True, exist_ok=True)
    kept, page = folder / "reliability.json", folder / "reliability.md"
    found: dict[str, Any] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    render = importlib.import_module("reliability_parts.page").render
    for name in [] if options.render else options.only.split(","):
        print(f"{name} …", flush=True)
        found[name] = _measured(name, quick=options.quick)
        kept.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        page.write_text(render(found), encoding="utf-8")
    page.write_text(render(found), encoding="utf-8")
    print(f"Wrote {page.relative_to(ROOT)}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", type=_known, default=",".join(PARTS), help="by commas")
    parser.add_argument("--quick", action="store_true", help="a smoke test of some minutes")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page")
    return parser


def _known(names: str) -> str:
    unknown = set(names.split(",")) - set(PARTS)
    if unknown:
        raise argparse.ArgumentTypeError(
            f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}"
        )
    return names


def _measured(name: str, *, quick: bool) -> dict[str, Any]:
    """A part, with how busy the machine was."""
    from overhead_parts.machine import machine
    from reliability_parts.sizes import FULL, QUICK

    begin = time.monotonic()
    found = importlib.import_module(f"reliability_parts.{name}").measure(QUICK if quick else FULL)
    about = {"minutes": round((time.monotonic() - begin) / 60, 1), "load": os.getloadavg()[0]}
    return {**found, "about": about, "machine": machine()}


if __name__ == "__main__":
    raise SystemExit(main())
