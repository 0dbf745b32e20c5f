"""Every part of the benchmarks can be imported: most of them run for hours, and not in tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
# As the entries import them: those of `hpo` as a package, the others from their folder. The
# ecosystem's drive libraries that are not installed; scripts are run and not imported.
IMPORT = """
import importlib, sys
sys.path[:0] = ["benchmarks", "src", "."]
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("paramedic", "benchmarks", name.partition(".")[0]):
            raise
"""


def _names() -> list[str]:
    folder = ROOT / "benchmarks"
    names = []
    for path in sorted(folder.rglob("*.py")):
        words = path.relative_to(folder).with_suffix("").parts
        if words[0] == "ecosystem" or "scripts" in words:
            continue
        package = ("benchmarks",) if words[0].startswith("hpo") else ()
        names.append(".".join((*package, *words)).removesuffix(".__init__"))
    return names


def test_all_parts_can_be_imported() -> None:
    pytest.importorskip("matplotlib", reason="the extra `bench` is not installed")
    command = [sys.executable, "-c", IMPORT, *_names()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
