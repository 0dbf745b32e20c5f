"""What the report and the live page cost: measures, then writes a page.

python benchmarks/show.py             all of it, into docs/benchmarks/
python benchmarks/show.py --quick     a smoke test, into build/show/
python benchmarks/show.py --only live some parts; the others are kept
python benchmarks/show.py --render    the page again from the JSON

It needs the extra `live`, Selenium, and Debian's packages chromium and chromium-driver.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from show_parts import live, page, report
from show_parts.machine import machine
from show_parts.sizes import FULL, QUICK

ROOT = Path(__file__).resolve().parent.parent
PARTS = {"report": report.measure, "live": live.measure}


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a smoke test of a minute")
    parser.add_argument("--only", choices=list(PARTS), help="a part; the other is kept")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page")
    options = parser.parse_args(arguments)
    folder = ROOT / ("build/show" if options.quick else "docs/benchmarks")
    folder.mkdir(parents=True, exist_ok=True)
    found = _known(folder / "show.json")
    if not options.render:
        found |= _measured(options.only, QUICK if options.quick else FULL)
        (folder / "show.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (folder / "show.md").write_text(page.render(found), encoding="utf-8")
    print(f"Wrote {folder.relative_to(ROOT) / 'show.md'}")
    return 0


def _known(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def _measured(only: str | None, sizes: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"machine": machine()}
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        for name in [only] if only else PARTS:
            print(f"{name} …", flush=True)
            found[name] = {**PARTS[name](Path(folder), sizes), "load": os.getloadavg()[0]}
    return found


if __name__ == "__main__":
    raise SystemExit(main())
