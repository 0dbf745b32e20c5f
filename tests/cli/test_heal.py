"""`paramedic heal`: what is printed, written and told, and the exit codes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paramedic.cli.heal import line
from paramedic.cli.main import app
from paramedic.treat.heal.progress import Progress

RUNNER = CliRunner()
PLAN = """
from tests.treat.plans import plan as made, points
from tests.treat.doubles import ADAM, slow_plan

def plan():
    return {}
"""


def _heal(folder: Path, expression: str, *options: str) -> tuple[int, str]:
    file = folder / "some_plan.py"
    file.write_text(PLAN.format(expression))
    result = RUNNER.invoke(app, ["heal", str(file), *options])
    return result.exit_code, result.output


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_sick_plan(tmp_path: Path) -> None:
    options = ("--json", "out.json", "--html", "page.html")
    code, text = _heal(tmp_path, "slow_plan(epochs=5, remedies=[ADAM])", *options)
    assert code == 0
    assert "found learning-rate-too-low" in text
    assert "healed: accuracy" in text
    assert "+    optimizer=(torch.optim.Adam" in text
    data = json.loads(Path("out.json").read_text())
    assert data["status"] == "healed"
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Healed</span>: accuracy" in page
    assert "attempt-00-untouched" in page
    assert Path("some_plan-heal/model.safetensors").is_file()
    code, text = _heal(tmp_path, "made(epochs=1)")  # another plan: another folder
    assert code == 0
    assert "are in some_plan-heal-2" in text.replace("\n", " ")


def test_a_plan_that_nothing_helps(tmp_path: Path) -> None:
    code, text = _heal(tmp_path, "slow_plan(epochs=3, remedies=[])", "--out", "here")
    assert code == 1
    assert "failed: accuracy" in text
    assert Path("here/outcome.json").is_file()


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("made(train=(points()[0][:, :1], points()[1]))", "does not take a batch"),
        ("made(train=(points()[0][:0], points()[1][:0]))", "`train` is empty"),
        ("made(train=(points()[0], points()[1] * float('nan')))", "targets are NaN"),
        ("made(model=__import__('torch').nn.ReLU())", "it has no parameters"),
        ("3", "must return a paramedic.Plan but gave int"),
        ("1 / 0", "raised ZeroDivisionError"),
    ],
)
def test_a_bad_plan_is_told(tmp_path: Path, expression: str, message: str) -> None:
    code, text = _heal(tmp_path, expression)
    assert code == 2
    assert message in text.replace("\n", " ")


def test_a_bad_file_is_told(tmp_path: Path) -> None:
    for name, content, message in (
        ("plan.txt", "", "must be a Python file"),
        ("empty_plan.py", "", "has no function `plan()`"),
    ):
        (tmp_path / name).write_text(content)
        result = RUNNER.invoke(app, ["heal", str(tmp_path / name)])
        assert result.exit_code == 2
        assert message in result.output.replace("\n", " ")


def test_the_line() -> None:
    progress = Progress(2, "S2", 3.5, 20, 0.25, math.nan, "", 4.0, 7.2)
    assert line(progress) == (
        "attempt 2 (S2) · epoch 3.5 of 20 · loss 0.25 · nothing found · about 8 s left"
    )
