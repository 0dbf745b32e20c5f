"""`paramedic heal`: what is printed, written and told, and the exit codes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from paramedic.cli.heal import _display, _report, line
from paramedic.cli.main import app
from paramedic.treat.heal.progress import Progress
from tests.cli.schema import check
from tests.report.pictures import sick
from tests.report.screen import Screen, on_terminal

RUNNER = CliRunner()
FILE = "some_plan.py"
PLAN = """
from tests.treat.plans import plan as made, points
from tests.treat.doubles import ADAM, slow_plan

def plan():
    return {}
"""


def _heal(folder: Path, expression: str, *options: str) -> tuple[int, str]:
    file = folder / FILE
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
    assert (data["schema"], data["program"]) == ("paramedic/report@2", str(tmp_path / FILE))
    assert (data["verdict"], data["exit_code"]) == ("learning", 0)
    assert data["heal"]["status"] == "healed"
    assert data["heal"] == json.loads(Path("some_plan-heal/outcome.json").read_text())
    (training,) = data["trainings"]
    assert training["verdict"] == "learning"
    assert training["trace"] == data["heal"]["attempts"][data["heal"]["chosen"]]["trace"]
    assert training["steps"] > 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Healed</span>: accuracy" in page
    assert "attempt-00-untouched" in page
    assert Path("some_plan-heal/model.safetensors").is_file()
    code, text = _heal(tmp_path, "made(epochs=1)")  # another plan: another folder
    assert code == 0
    assert "are in some_plan-heal-2" in text.replace("\n", " ")


def test_a_plan_that_nothing_helps(tmp_path: Path) -> None:
    options = ("--out", "here", "--json", "out.json")
    code, text = _heal(tmp_path, "slow_plan(epochs=3, remedies=[])", *options)
    assert code == 1
    assert "failed: accuracy" in text
    assert json.loads(Path("here/outcome.json").read_text())["status"] == "failed"
    data = json.loads(Path("out.json").read_text())
    assert (data["heal"]["status"], data["exit_code"]) == ("failed", 1)
    assert data["verdict"] != "learning"


def test_the_report_is_as_the_schema_says(tmp_path: Path) -> None:
    code, text = _heal(tmp_path, "made(epochs=1)", "--json", "out.json")
    assert code == 0, text
    data = json.loads(Path("out.json").read_text())
    assert data["heal"]["status"] == "healthy"
    check(data)


@pytest.mark.parametrize("content", [None, b"not a database" * 100])
def test_a_heal_whose_trace_is_gone_is_reported(tmp_path: Path, content: bytes | None) -> None:
    trace = tmp_path / "run.db"
    if content is not None:
        trace.write_bytes(content)
    attempt = type("Attempt", (), {"trace": trace})
    outcome = type(
        "Outcome", (),
        {"attempts": (attempt,), "chosen": 0, "status": "healed", "to_json": lambda self: {}},
    )()  # fmt: skip
    data = _report(Path("plan.py"), outcome)
    assert (data["verdict"], data["exit_code"], data["trainings"]) == ("cannot tell", 0, [])
    assert "run.db" in data["reason"]
    attempt.trace = None
    assert "was not recorded" in _report(Path("plan.py"), outcome)["reason"]


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


def test_on_a_terminal_there_is_a_panel_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "90")
    screen = Screen(90, 24)
    with on_terminal(screen) as terminal:
        console = Console(highlight=False)
        tell, display = _display(console)
        with display:
            progress = Progress(0, "untouched", 1.5, 20, 0.7, math.nan, "", 4.0, 7.2, "", sick())
            tell(progress)
            panel = screen.lines
            tell(replace(progress, news="found vanishing-gradient", status=None))
            tell(replace(progress, attempt=1, name="S2"))
            other = screen.lines
    assert "paramedic attempt 0 (untouched) · epoch 1.5 of 20" in panel
    assert any(line.startswith("gradient  ") for line in panel)
    assert other[0] == "found vanishing-gradient"
    assert "attempt 1 (S2)" in "".join(other)
    assert screen.lines == ["found vanishing-gradient"]
    assert "write" not in vars(terminal)
