"""The line at the end of an epoch, and of the run."""

from __future__ import annotations

import json
import math

from paramedic.diagnose.condition import Condition
from paramedic.diagnose.summary import Summary
from paramedic.types import Epoch, Event, Verdict
from tests.diagnose.scripted import finding

WELL = Condition(Verdict.LEARNING, "the loss is falling (2 → 1 over the last 50 steps)")


def _epochs(*losses: float) -> tuple[Epoch, ...]:
    return tuple(
        Epoch(place, 100 * place, {"val_loss": loss, "val_acc": 0.5})
        for place, loss in enumerate(losses)
    )


def _done(action: str, answer: str = "applied") -> Event:
    return Event(3, "intervention", "", {"action": action, "answer": answer})


def test_a_healthy_epoch() -> None:
    summary = Summary(200, WELL, _epochs(3.0, 2.0, 1.0), (), ())
    assert str(summary) == (
        "Epoch 2, step 200: learning; the loss is falling (2 → 1 over the last 50 steps); "
        "val_loss 1; val_acc 0.5."
    )


def test_the_best_epoch_is_named_if_it_was_another() -> None:
    text = str(Summary(200, WELL, _epochs(3.0, 2.0, 2.5, math.nan, 2.25), (), ()))
    assert "val_loss 2.25 (best 2 in epoch 1)" in text


def test_findings_and_interventions() -> None:
    findings = tuple(finding(slug) for slug in ("one", "two", "three", "four"))
    done = (_done("skip-step"), _done("skip-step"), _done("roll-back"), _done("stop", "declined"))
    summary = Summary(7, WELL, (), findings, done)
    text = str(summary)
    assert text.startswith("Step 7: learning;")
    assert "found: one, two, three and 1 more; done: skip-step ×2, roll-back ×1." in text
    data = summary.to_json()
    assert data["findings"] == ["one", "two", "three", "four"]
    assert data["interventions"] == {"skip-step": 2, "roll-back": 1}
    assert (data["epoch"], data["values"]) == (None, {})
    json.dumps(data)
