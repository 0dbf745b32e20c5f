"""Progress: decisions at once and kept, steps now and then."""

from __future__ import annotations

import pytest

from paramedic.treat.heal import progress as module
from paramedic.treat.heal.attempt import Watchfulness
from paramedic.treat.heal.progress import Progress, Reporter
from tests.treat.heal.legs import attempt
from tests.treat.plans import plan


def test_decisions_are_told_and_kept() -> None:
    told: list[Progress] = []
    reporter = Reporter(told.append)
    reporter.say("something", attempt())
    assert reporter.log == ["something"]
    assert told[0].news == "something"


def test_steps_are_told_with_the_time_left() -> None:
    told: list[Progress] = []
    reporter = Reporter(told.append, every=0.0)
    one = attempt()
    one.plan = plan(epochs=1)
    one.advance(4, Watchfulness(), reporter.following(one))
    assert [round(progress.epoch * 16) for progress in told] == [1, 2, 3, 4]
    assert told[-1].seconds_left is not None
    assert told[-1].seconds_left > 0
    assert told[-1].loss > 0
    status = told[-1].status
    assert status is not None
    assert (status.step, status.steps, len(status.pulse)) == (3, 16, 4)
    one.release()


def test_waiting_between_two_legs_is_no_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    told: list[Progress] = []
    reporter = Reporter(told.append, every=0.0)
    one = attempt()
    one.plan = plan(epochs=1)
    for _ in range(2):
        after_step = reporter.following(one)
        assert after_step is not None
        for _ in range(4):
            now += 1.0
            after_step(one.training)
        now += 1000.0  # on a cluster, say
    assert told[-1].seconds_left == 16.0


def test_nobody_listens() -> None:
    assert Reporter(None).following(attempt()) is None
