from __future__ import annotations

import pytest
from typer.testing import CliRunner, Result

from paramedic.cli.main import app
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.rules import rule_sets, rules


def _run(*args: str) -> Result:
    return CliRunner(env={"COLUMNS": "60"}).invoke(app, ["explain", *args])


@pytest.mark.usefixtures("two_rules")
@pytest.mark.parametrize("name", ["L901", "l901", "high-loss"])
def test_by_code_or_slug(name: str) -> None:
    result = _run(name)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("L901 high-loss (loss curve)\n")
    assert "level = 10.0" in result.output
    assert "not measured yet" in result.output


@pytest.mark.usefixtures("two_rules")
def test_an_unknown_name_gets_the_nearest() -> None:
    result = _run("high-los")
    assert result.exit_code == 2
    assert result.output.strip() == (
        "paramedic: There is no detector `high-los` (did you mean `high-loss`?)."
    )


@pytest.mark.parametrize(
    "kind", [kind for name in rule_sets() for kind in rules(name)], ids=lambda kind: kind.code
)
def test_every_detector_can_be_explained(kind: type[Detector]) -> None:
    result = _run(kind.slug)
    assert result.exit_code == 0, result.output
    assert kind.code in result.output
