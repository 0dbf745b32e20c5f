from __future__ import annotations

import importlib
import linecache
import sys
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import substitution
from tests.experiment.sandbox.forked import forked


def test_readers_see_the_other_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Import, also of what was compiled; tracebacks; whoever opens the file. A writer does not."""
    real, other = tmp_path / "some_module.py", tmp_path / "other.txt"
    real.write_text("VALUE = 'old'\n")
    other.write_text("VALUE = 'new'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("some_module")
    del sys.modules["some_module"]

    def inside() -> object:
        substitution.install({str(real): str(other)})
        value = importlib.import_module("some_module").VALUE
        seen = linecache.getline(str(real), 1), real.read_text(), real.read_bytes().decode()
        with open(real, "a") as file:
            file.write("# more\n")
        return value, *seen

    new = "VALUE = 'new'\n"
    assert forked(inside) == (0, str(("new", new, new, new)))
    assert real.read_text() == "VALUE = 'old'\n# more\n"
