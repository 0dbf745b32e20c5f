from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from paramedic.report.view.heal import heal_view, read_heal
from tests.report.made import ROOT

POINT = {"step": 20, "epoch": 1.0, "train_loss": 0.7, "val_loss": None, "metric": 0.5}


def attempt(number: int, remedy: str, parent: int | None, verdict: str) -> dict[str, Any]:
    return {
        "number": number, "remedy": remedy, "against": ROOT.slug, "description": f"Did {remedy}.",
        "verdict": verdict, "metric": 0.5 + number / 10, "steps": 20, "cost": 0.25,
        "parent": parent, "code": "model[1] = nn.ReLU()", "curve": [POINT, {**POINT, "step": 40}],
        "trace": "/etc/passwd",
    }  # fmt: skip


OUTCOME: dict[str, Any] = {
    "status": "healed", "metric": "accuracy", "before": 0.5, "after": 0.9, "cost": 1.25, "why": "",
    "problems": [ROOT.to_json()], "chosen": 2, "plan": "plan = …",
    "diff": "--- a\n+++ b\n", "log": [],
    "attempts": [
        attempt(0, "untouched", None, "sick"), attempt(1, "S1", 0, "lost"),
        attempt(2, "S2", 0, "healed"),
    ],
}  # fmt: skip


def test_the_way_to_the_model_is_marked() -> None:
    heal = heal_view(OUTCOME, "plan-heal")
    assert heal.sentence == "Healed: accuracy 0.5 → 0.9, 3 attempts, 1.25 trainings."
    assert [one.led for one in heal.attempts] == [True, False, True]
    assert heal.problems[0].title == "Vanishing gradient"
    assert heal.health == "healthy"
    curve = heal.attempts[2].curve
    assert curve["step"] == (20.0, 40.0)
    assert math.isnan(curve["val_loss"][0])
    assert json.loads(json.dumps(heal.to_json()))["attempts"][2]["led"] is True


def test_failed_and_healthy() -> None:
    failed = heal_view({**OUTCOME, "status": "failed", "after": None})
    assert failed.sentence.startswith("Not healed: accuracy 0.5 → not measured")
    assert failed.health == "critical"
    healthy = heal_view({**OUTCOME, "status": "healthy", "problems": []})
    assert healthy.sentence == "Healthy: trained once and left alone: accuracy 0.9."


def test_parents_in_a_circle_end() -> None:
    circle = [attempt(0, "a", 1, "x"), attempt(1, "b", 0, "x")]
    heal = heal_view({**OUTCOME, "attempts": circle, "chosen": 1})
    assert [one.led for one in heal.attempts] == [True, True]


@pytest.mark.parametrize("broken", [{}, {**OUTCOME, "attempts": 3}, {**OUTCOME, "chosen": "x"}])
def test_something_else_is_a_clear_error(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="`plan-heal` is not the outcome of a heal"):
        heal_view(broken, "plan-heal")


def test_from_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no heal has ended there"):
        read_heal(tmp_path)
    (tmp_path / "outcome.json").write_text("{")
    with pytest.raises(ValueError, match=r"outcome\.json` is damaged"):
        read_heal(tmp_path)
    (tmp_path / "outcome.json").write_text("[]")
    with pytest.raises(ValueError, match="not a JSON object"):
        read_heal(tmp_path)
    (tmp_path / "outcome.json").write_text(json.dumps(OUTCOME))
    assert read_heal(tmp_path).name == tmp_path.name
