from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paramedic.cli.main import app
from paramedic.hpo.recording import Goal, StudyFolder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve trials without traces: enough for rules that read values."""
    study = StudyFolder(tmp_path / "study")
    study.create(Goal("val_acc", "maximize", 10))
    for number in range(12):
        level = (5 * number) % 12 / 12
        values = [level * (1 - 0.5**epoch) for epoch in range(1, 11)]
        study.add(number, values, [float(epoch) for epoch in range(1, 11)])
    return tmp_path / "study"


def test_rules_stand_in_one_table(folder: Path) -> None:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(
        app, ["simulate", str(folder), "--rules", "none,median,N001+G001", "--draws", "3"]
    )
    assert result.exit_code == 0, result.output
    assert "median" in result.output
    assert "MedianStop" in result.output


def test_json_has_every_measure(folder: Path) -> None:
    arguments = ["simulate", str(folder), "--rules", "patience", "--draws", "2", "--json", "-"]
    (told,) = json.loads(CliRunner().invoke(app, arguments).stdout)
    assert told["rule"] == "patience"
    measures = {"time_saved", "top_ten", "trials", "lost", "cut", "missed", "spent"}
    assert set(told["measures"]) == measures
    assert set(told["measures"]["lost"]) == {"mean", "low", "high"}


def test_calibration_tells_what_it_found(folder: Path) -> None:
    result = CliRunner().invoke(app, ["simulate", str(folder), "--calibrate", "--draws", "1"])
    assert result.exit_code == 0, result.output
    assert "Best settings" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rules", "N999"], "No detector is called"),
        (["--rules", "default", "--set", "policy.mood=3"], "no setting `mood`"),
        (["--rules", "default", "--set", "G001.mood=3"], "no threshold"),
    ],
)
def test_mistakes_are_told(folder: Path, arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["simulate", str(folder), *arguments])
    assert result.exit_code == 2
    assert message in result.output


def test_a_folder_that_is_no_study(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["simulate", str(tmp_path)])
    assert result.exit_code == 2
    assert "not a recorded study" in result.output
