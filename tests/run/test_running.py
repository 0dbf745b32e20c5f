from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from paramedic.run.crier import Crier
from paramedic.run.program import Program
from paramedic.run.running import watched
from paramedic.run.settings import Settings
from paramedic.types import Verdict
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
    assert "cannot tell: the program did not import torch" in shown.stderr


def test_where_nothing_is_imported_nothing_is_judged(tmp_path: Path) -> None:
    """Here torch is there already: it is watched from the beginning."""
    path = script(tmp_path, "x = 1")
    outcome, ending = watched(Program(str(path)), Settings(), Crier())
    assert (outcome.assessment.verdict, ending.code) == (Verdict.CANNOT_TELL, 0)


def test_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAMEDIC", "off")
    path = script(tmp_path, "import torch.nn\nprint(torch.nn.Module.__init__.__module__)")
    outcome, _ = watched(Program(str(path)), Settings(), Crier())
    assert outcome.assessment.verdict is Verdict.CANNOT_TELL
    assert "switched off" in outcome.why_unjudged


PROBED = """
import importlib.util
assert importlib.util.find_spec("torch") is not None  # as Hugging Face's libraries do
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.01)
for step in range(5):
    optimizer.zero_grad()
    model(torch.ones(8, 4)).pow(2).mean().backward()
    optimizer.step()
"""


def _shown(path: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "paramedic", "run", "--json", "report.json", str(path)],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False, cwd=path.parent,
    )  # fmt: skip
    return ran.stderr


def test_torch_is_watched_although_libraries_asked_for_it_before(tmp_path: Path) -> None:
    shown = _shown(script(tmp_path, PROBED))
    assert "switched off" not in shown
    assert json.loads((tmp_path / "report.json").read_text())["steps"] == 5


def test_torch_that_was_imported_behind_our_back_is_not_blamed_on_a_variable(
    tmp_path: Path,
) -> None:
    hidden = "import sys\nwaiting = sys.meta_path.pop(0)\nimport torch\n"
    shown = _shown(script(tmp_path, hidden))
    assert "torch was imported in a way that could not be followed" in shown
    assert "PARAMEDIC" not in shown
