from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from paramedic.cli.main import app
from paramedic.types import Kind, Remedy
from tests.cli.conftest import HighLoss
from tests.cli.schema import check

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


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A high loss is wrong whatever the run does."""
    monkeypatch.setattr(HighLoss, "kind", Kind.FAULT)


def test_a_run_that_learns(record: Record) -> None:
    result = replay(record("run.db", 2.0, 1.0))
    assert result.exit_code == 0, result.output
    assert "run.db: learning: the loss fell from 1.98" in result.output
    assert "high-loss" not in result.output
    assert "Not checked: validated" in result.output
    assert "Judged by 2 detectors of the rule set default." in result.output


def test_a_run_that_does_not_learn(record: Record) -> None:
    result = replay(record("run.db", 11.0))
    assert result.exit_code == 1, result.output
    assert (
        "run.db: not learning: the loss is no lower than at first after 60 steps "
        "(first 11, now 11)." in result.output
    )
    assert "Most likely causes (not proven):" in result.output
    assert "Suspicion: L901 high-loss (80 % sure)" in result.output
    assert "loss 11 (threshold 10)" in result.output


def test_a_run_that_does_not_learn_for_no_known_reason(record: Record) -> None:
    result = replay(record("run.db", 1.0))
    assert result.exit_code == 1
    assert "not learning" in result.output
    assert "Most likely" not in result.output


def test_a_suspicion_does_not_matter_where_the_run_learns(record: Record) -> None:
    result = replay(record("run.db", 40.0, 11.0))
    assert result.exit_code == 0, result.output
    assert "run.db: learning" in result.output
    assert "1 note (--verbose)." in result.output
    assert "high-loss" not in result.output


@pytest.mark.usefixtures("fault")
def test_a_fault_matters_though_the_run_learns(record: Record) -> None:
    result = replay(record("run.db", 40.0, 11.0))
    assert result.exit_code == 1, result.output
    assert "run.db: learning" in result.output
    assert "Fault: L901 high-loss\n" in result.output


@pytest.mark.parametrize(
    ("losses", "code", "verdict"),
    [
        ((2.0, 1.0), 0, "learning"),
        ((2.0, None), 1, "not learning"),
        ((1.0, 90.0), 1, "diverged"),
        ((float("nan"), None), 1, "diverged"),
    ],
)
def test_exit_codes(
    losses: tuple[float, float | None], code: int, verdict: str, record: Record
) -> None:
    result = replay(record("run.db", *losses))
    assert f"run.db: {verdict}: " in result.output
    assert result.exit_code == code


def test_a_young_run_is_no_failure(record: Record) -> None:
    result = replay(record("run.db", 11.0, steps=8))
    assert result.exit_code == 2
    assert "too early to say: 8 steps without a clear fall of the loss are too few." in (
        result.output
    )
    assert "high-loss" not in result.output


def test_what_to_do_comes_with_its_line_of_code(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    remedy = Remedy("lower-rate", "Lower the rate", 0.84, code="learning_rate *= 0.5", ground="why")
    monkeypatch.setattr(HighLoss, "prescribe", lambda self, finding: [remedy])
    run = record("run.db", 11.0)
    lines = [line.strip() for line in replay(run).output.splitlines()]
    place = lines.index("What to do:")
    assert lines[place + 1] == "- Lower the rate (84 %: why)"
    assert lines[place + 2] == "learning_rate *= 0.5"
    (training,) = json.loads(replay(run, "--json", "-").stdout)["trainings"]
    (found,) = training["findings"]
    assert found["slug"] == "high-loss"
    assert [one["slug"] for one in found["remedies"]] == ["lower-rate"]


@pytest.mark.usefixtures("fault")
def test_thresholds_and_choice_from_the_command_line(record: Record) -> None:
    run = record("run.db", 40.0, 11.0)
    assert replay(run, "--set", "L901.level=50").exit_code == 0
    assert replay(run, "--ignore", "high-loss").exit_code == 0
    assert replay(run, "--select", "L,T901").exit_code == 1


@pytest.mark.usefixtures("fault")
def test_settings_of_the_project(record: Record, tmp_path: Path) -> None:
    run = record("run.db", 40.0, 11.0)
    (tmp_path / "pyproject.toml").write_text("[tool.paramedic.high-loss]\nlevel = 50.0")
    result = replay(run)
    assert result.exit_code == 0
    assert f"settings from {tmp_path / 'pyproject.toml'}" in result.output
    assert replay(run, "--no-config").exit_code == 1
    assert replay(run, "--set", "L901.level=1").exit_code == 1


def test_verbose_says_why_something_was_not_checked(record: Record) -> None:
    assert "validated: act_var: not measured" in replay(record("run.db", 1.0), "-v").output


def test_several_runs_end_in_a_table(record: Record, tmp_path: Path) -> None:
    record("a.db", 2.0, 1.0)
    record("b.db", 11.0)
    record("c.db", 1.0, steps=5)
    result = replay(tmp_path)
    assert result.exit_code == 1
    rows = [line.split() for line in result.output.splitlines()]
    assert [str(tmp_path / "a.db"), "learning", "0"] in rows
    assert [str(tmp_path / "b.db"), "not", "learning", "high-loss", "0", "1"] in rows
    assert [str(tmp_path / "c.db"), "too", "early", "to", "say", "0"] in rows


def test_the_verdict_needs_the_losses_alone(record: Record) -> None:
    result = replay(record("run.db", 2.0, 1.0, frames=0))
    assert result.exit_code == 0
    assert "run.db: learning: " in result.output
    nothing = replay(record("none.db", 1.0, steps=0))
    assert nothing.exit_code == 2
    assert "none.db: too early to say: the run has 0 steps." in nothing.output


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
    run = record("run.db", float("inf"))
    result = replay(run, tmp_path / "no.db", "--json", "-")
    assert result.exit_code == 2
    data = json.loads(result.stdout)
    assert (data["schema"], data["program"]) == ("paramedic/report@2", str(run))
    assert (data["verdict"], data["exit_code"], data["steps"]) == ("diverged", 2, 60)
    (training,) = data["trainings"]
    assert (training["verdict"], training["trace"]) == ("diverged", str(run))
    assert "not finite" in training["reason"]
    (found,) = training["findings"]
    assert (found["slug"], found["kind"], found["role"]) == (
        HighLoss.slug, "suspicion", "suspicion",
    )  # fmt: skip
    assert (found["severity"], found["severity_if_cause"]) == ("info", "warning")
    assert found["evidence"]["loss"] == "Infinity"
    assert found["first_step"] == 0
    assert training["not_checked"] == [{"slug": "validated", "why": "act_var: not measured"}]
    assert "no.db" in data["errors"][0]["error"]


def test_json_in_a_file_leaves_the_words(record: Record, tmp_path: Path) -> None:
    result = replay(record("run.db", 2.0, 1.0), "--json", tmp_path / "out.json")
    assert "learning" in result.output
    report = json.loads((tmp_path / "out.json").read_text())
    assert (report["trainings"][0]["steps"], report["exit_code"]) == (60, 0)


def test_json_as_the_schema_says(record: Record, tmp_path: Path) -> None:
    record("a.db", 40.0, 11.0)
    record("b.db", float("inf"))
    record("c.db", 11.0)
    record("d.db", 1.0, steps=0)
    report = json.loads(replay(tmp_path, "--json", "-").stdout)
    assert report["program"] == "4 runs"
    assert [one["verdict"] for one in report["trainings"]] == [
        "learning", "diverged", "not learning", "too early to say",
    ]  # fmt: skip
    roles = [[found["role"] for found in one["findings"]] for one in report["trainings"]]
    assert roles == [["note"], ["suspicion"], ["suspicion"], []]
    check(report)


def test_no_colour_and_a_narrow_terminal(record: Record) -> None:
    output = replay(record("run.db", 11.0), columns=40).output
    assert "\x1b" not in output
    assert "Suspicion: L901 high-loss" in output


def test_a_watched_run_can_be_judged(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    import paramedic

    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, trace=tmp_path / "run.db", overhead=None):
        for _ in range(60):
            optimizer.zero_grad()
            (100 + model(torch.ones(4, 2)).square().mean()).backward()
            optimizer.step()
    result = replay(tmp_path / "run.db")
    assert result.exit_code == 1, result.output
    assert "high-loss" in result.output
