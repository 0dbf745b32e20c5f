from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from paramedic.cli.main import app
from paramedic.diagnose.rules import rule_sets, rules


def _run(*args: str, columns: int = 120) -> Result:
    return CliRunner(env={"COLUMNS": str(columns), "NO_COLOR": "1"}).invoke(app, ["rules", *args])


@pytest.mark.usefixtures("two_rules")
def test_a_line_per_detector_by_family() -> None:
    result = _run()
    assert result.exit_code == 0, result.output
    assert "Loss curve\nL901  high-loss  Something is silent that should be heard." in result.output
    assert "Needs act_var." in result.output
    assert "2 detectors of the rule set default" in result.output


@pytest.mark.usefixtures("two_rules")
def test_a_narrow_terminal_is_kept_to() -> None:
    lines = _run(columns=40).output.split("\n2 detectors")[0].splitlines()
    assert any("high-loss" in line for line in lines)
    assert max(map(len, lines)) <= 40


@pytest.mark.parametrize("name", rule_sets())
def test_every_rule_set_can_be_listed(name: str) -> None:
    result = _run("--rules", name)
    assert result.exit_code == 0, result.output
    for kind in rules(name):
        assert kind.code in result.output
        assert kind.slug in result.output


@pytest.mark.usefixtures("two_rules")
def test_json() -> None:
    data = json.loads(_run("--json", "-").output)
    assert [one["code"] for one in data] == ["L901", "T901"]
    assert data[0]["thresholds"]["level"]["default"] == 10.0
    assert data[1]["needs"] == ["act_var"]


def test_an_unknown_rule_set() -> None:
    result = _run("--rules", "autotrain")
    assert result.exit_code == 2
    assert "did you mean `autotrainer`" in result.output
