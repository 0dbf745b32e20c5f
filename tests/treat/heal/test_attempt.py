"""Attempts: what is on record is not trained again; legs survive JSON."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from paramedic.treat.heal.attempt import Attempt, Leg, Watchfulness
from paramedic.treat.training import Training
from paramedic.types import Severity
from tests.treat.heal.legs import finding, leg
from tests.treat.plans import plan


def test_a_leg_survives_json() -> None:
    first = leg(math.nan, findings=(finding(),), error="no", progress=math.nan)
    back = Leg.from_json(first.to_json())
    assert back.findings == first.findings
    assert (back.until, back.step, back.error) == (20, 20, "no")
    assert math.isnan(back.point.metric)
    assert math.isnan(back.progress)


def test_what_is_on_record_is_not_trained_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Attempt(0, plan(epochs=2), folder=tmp_path / "a")
    legs = [first.advance(5, Watchfulness()), first.advance(9, Watchfulness())]
    assert first.samples == 9 * 16
    second = Attempt(0, plan(epochs=2), folder=tmp_path / "a")
    with monkeypatch.context() as patched:
        patched.setattr(Training, "advance", None)
        assert [second.advance(step, Watchfulness()).point for step in (5, 9)] == [
            one.point for one in legs
        ]
    assert second.advance(12, Watchfulness()).step == 12
    whole = Attempt(1, plan(epochs=2))
    assert whole.advance(12, Watchfulness()).point.metric == second.points[-1].metric


def test_what_was_not_trained_is_not_looked_for_on_record(tmp_path: Path) -> None:
    calm = Watchfulness(serious=False)
    asked = (8, 4, 16)  # the second is reached already
    first = Attempt(0, plan(epochs=1), folder=tmp_path)
    steps = [first.advance(until, calm).step for until in asked]
    again = Attempt(0, plan(epochs=1), folder=tmp_path)
    assert [again.advance(until, calm).step for until in asked] == steps == [8, 8, 16]


def test_a_released_attempt_goes_on_from_where_it_was() -> None:
    one, other = Attempt(0, plan(epochs=1)), Attempt(1, plan(epochs=1))
    one.advance(7, Watchfulness())
    one.release()
    assert one.advance(12, Watchfulness()).point == other.advance(12, Watchfulness()).point


class _Patient:
    def __init__(self, *findings: object, metric: float = 0.5, enough: float | None = None) -> None:
        self.findings = findings
        self.plan = plan(satisfactory=enough)
        self.points = [leg(metric).point]


def test_what_ends_a_leg() -> None:
    grave, mild = finding(), finding("overfitting", Severity.WARNING)
    assert Watchfulness().stops(_Patient(mild))  # type: ignore[arg-type]
    assert not Watchfulness(serious=False).stops(_Patient(mild))  # type: ignore[arg-type]
    assert Watchfulness(serious=False).stops(_Patient(grave))  # type: ignore[arg-type]
    accepts = Watchfulness(accepted=frozenset({"vanishing-gradient"}))
    assert not accepts.stops(_Patient(grave))  # type: ignore[arg-type]
    satisfied = _Patient(grave, metric=0.8, enough=0.8)
    assert not Watchfulness().stops(satisfied)  # type: ignore[arg-type]
