from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from paramedic.cli.main import app
from paramedic.types import Remedy
from tests.cli.conftest import HighLoss

Record = Callable[..., Path]
pytestmark = pytest.mark.usefixtures("two_rules")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Away from the settings of this repository."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def replay(*args: object, columns: int = 200) -> Result:
    environment = {"COLUMNS": str(columns), "NO_COLOR": "1"}
    return CliRunner(env=environment).invoke(app, ["replay", *map(str, args)])


def test_a_healthy_run(record: Record) -> None:
    result = replay(record("run.db", 1.0))
    assert result.exit_code == 0, result.output
    assert "run.db: healthy: nothing was found in 8 steps" in result.output
    assert "Not checked: validated" in result.output
    assert "Judged by 2 detectors of the rule set default." in result.output


def test_a_sick_run(record: Record) -> None:
    result = replay(record("run.db", 11.0))
    assert result.exit_code == 1, result.output
    assert "run.db: not well: high-loss, told at step 0." in result.output
    assert "L901 high-loss (warning, 80 % sure)" in result.output
    assert "loss 11 (threshold 10)" in result.output


def test_what_to_do_is_told_with_its_line_of_code(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    remedy = Remedy("lower-rate", "Lower the rate", 0.84, code="learning_rate *= 0.5", ground="why")
    monkeypatch.setattr(HighLoss, "prescribe", lambda self, finding: [remedy])
    run = record("run.db", 11.0)
    lines = [line.strip() for line in replay(run).output.splitlines()]
    place = lines.index("What to do:")
    assert lines[place + 1] == "- Lower the rate (84 %: why)"
    assert lines[place + 2] == "learning_rate *= 0.5"
    (told,) = json.loads(replay(run, "--json", "-").stdout)["runs"][0]["remedies"]
    assert told["slug"] == "lower-rate"
    assert told["against"] == ["high-loss"]


def test_thresholds_and_choice_from_the_command_line(record: Record) -> None:
    run = record("run.db", 11.0)
    assert replay(run, "--set", "L901.level=12").exit_code == 0
    assert replay(run, "--ignore", "high-loss").exit_code == 2  # the other one cannot judge
    assert replay(run, "--select", "L,T901").exit_code == 1


def test_settings_of_the_project(record: Record, tmp_path: Path) -> None:
    run = record("run.db", 11.0)
    (tmp_path / "pyproject.toml").write_text("[tool.paramedic.high-loss]\nlevel = 12.0")
    result = replay(run)
    assert result.exit_code == 0
    assert f"settings from {tmp_path / 'pyproject.toml'}" in result.output
    assert replay(run, "--no-config").exit_code == 1
    assert replay(run, "--set", "L901.level=1").exit_code == 1


def test_verbose_says_why_something_was_not_checked(record: Record) -> None:
    assert "validated: act_var: not measured" in replay(record("run.db", 1.0), "-v").output


def test_several_runs_end_in_a_table(record: Record, tmp_path: Path) -> None:
    record("a.db", 1.0)
    record("b.db", 11.0)
    result = replay(tmp_path)
    assert result.exit_code == 1
    rows = [line.split() for line in result.output.splitlines()]
    assert [str(tmp_path / "a.db"), "healthy", "0"] in rows
    assert [str(tmp_path / "b.db"), "warning", "high-loss", "0", "1"] in rows


def test_a_run_without_frames_cannot_be_judged(record: Record) -> None:
    result = replay(record("run.db", 1.0, frames=0))
    assert result.exit_code == 2
    assert "could not be judged: no step of it was looked at." in result.output


def test_one_bad_file_does_not_hide_the_others(record: Record, tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_bytes(b"not a database" * 100)
    result = replay(tmp_path / "bad.db", tmp_path / "no.db", record("run.db", 11.0))
    assert result.exit_code == 2
    assert "high-loss" in result.stdout
    lines = [line for line in result.output.splitlines() if line.startswith("paramedic: ")]
    assert len(lines) == 2
    assert "bad.db" in lines[0]
    assert "no.db" in lines[1]
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--rules", "defalt"], "did you mean `default`"),
        (["--select", "L902"], "did you mean `L901`"),
        (["--set", "L901.levl=3"], "did you mean `level`"),
        (["--set", "L901.level=high"], "`high` in `L901.level=high` is not a value"),
        (["--ignore", "L,T"], "No detector is left"),
    ],
)
def test_mistakes_are_one_clear_line(record: Record, args: list[str], words: str) -> None:
    result = replay(record("run.db", 1.0), *args)
    assert result.exit_code == 2
    assert words in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_a_directory_without_traces(tmp_path: Path) -> None:
    result = replay(tmp_path / "work")
    assert result.exit_code == 2
    assert "no trace (*.db) in the directory" in result.output


def test_json_alone_on_the_terminal(record: Record, tmp_path: Path) -> None:
    result = replay(record("run.db", float("inf")), tmp_path / "no.db", "--json", "-")
    assert result.exit_code == 2
    data = json.loads(result.stdout)
    (run,) = data["runs"]
    assert run["judged"] is True
    assert run["diagnosis"]["root"]["slug"] == HighLoss.slug
    assert run["diagnosis"]["root"]["evidence"]["loss"] == "Infinity"
    assert run["cases"][0]["opened"] == 0
    assert "no.db" in data["errors"][0]["error"]


def test_json_in_a_file_leaves_the_words(record: Record, tmp_path: Path) -> None:
    result = replay(record("run.db", 1.0), "--json", tmp_path / "out.json")
    assert "healthy" in result.output
    assert json.loads((tmp_path / "out.json").read_text())["runs"][0]["frames"] == 8


def test_no_colour_and_a_narrow_terminal(record: Record) -> None:
    output = replay(record("run.db", 11.0), columns=40).output
    assert "\x1b" not in output
    assert "Root cause: L901 high-loss" in output


def test_a_watched_run_can_be_judged(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    import paramedic

    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, trace=tmp_path / "run.db", overhead=None):
        for _ in range(5):
            optimizer.zero_grad()
            (100 + model(torch.ones(4, 2)).square().mean()).backward()
            optimizer.step()
    result = replay(tmp_path / "run.db")
    assert result.exit_code == 1, result.output
    assert "high-loss" in result.output
