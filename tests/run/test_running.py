from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from paramedic.run.crier import Crier
from paramedic.run.program import Program
from paramedic.run.running import watched
from paramedic.run.settings import Settings
from tests.run.support import script
from tests.run.test_program import ENVIRONMENT


def test_torch_is_imported_by_the_program_not_by_us(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        import sys
        print("torch" in sys.modules)
        """,
    )
    shown = subprocess.run(
        [sys.executable, "-m", "paramedic", "run", str(path)],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert shown.stdout == "False\n"
    assert shown.returncode == 2
    assert "could not be judged: the program did not import torch" in shown.stderr


def test_where_nothing_is_imported_nothing_is_judged(tmp_path: Path) -> None:
    """Here torch is there already: it is watched from the beginning."""
    path = script(tmp_path, "x = 1")
    outcome, ending = watched(Program(str(path)), Settings(), Crier())
    assert (outcome.verdict, ending.code) == ("unjudged", 0)


def test_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAMEDIC", "off")
    path = script(tmp_path, "import torch.nn\nprint(torch.nn.Module.__init__.__module__)")
    outcome, _ = watched(Program(str(path)), Settings(), Crier())
    assert outcome.verdict == "unjudged"
    assert "switched off" in outcome.why_unjudged
