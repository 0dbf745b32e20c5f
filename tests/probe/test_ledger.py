from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from paramedic.probe import ledger
from paramedic.probe.guard import Guard
from paramedic.probe.ledger import Ledger
from paramedic.probe.ranks import Shards
from paramedic.probe.schedule import VITALS, Schedule

ALONE = Shards([])


class Run:
    """A ledger whose clock is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, overhead: float | None = 0.01) -> None:
        self.now = 0.0
        monkeypatch.setattr(ledger, "perf_counter", lambda: self.now)
        self.schedule, self.guard = Schedule(overhead), Guard(strict=True)
        self.recorder: Any = SimpleNamespace(seconds=0.0)
        self.ledger = Ledger(self.schedule, self.guard, self.recorder)

    def turn(self, level: str | None, seconds: float, cost: float = 0.0) -> None:
        self.now += seconds
        self.guard.entered = self.now
        self.guard.seconds += cost
        self.ledger.turn(0, level, ALONE)


def test_steps_are_told_with_what_they_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch)
    run.turn(None, 2.0, 0.5)
    run.turn(None, 3.0, 1.0)
    assert list(run.schedule._plain) == [1.5, 2.0]
    assert list(run.schedule._idle) == [0.5, 1.0]


def test_examinations_are_no_part_of_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch)
    run.turn(None, 1.0)
    run.recorder.seconds = 0.25
    run.turn(VITALS, 2.0, 0.75)
    assert list(run.schedule._costs[VITALS]) == [0.5]
    assert run.schedule.looks[VITALS] == 1


def test_what_is_done_beside_the_looks_is_owed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of an epoch, with an examination, between two looks and while the loop is idle."""
    run = Run(monkeypatch)
    run.turn(None, 1.0)
    run.guard.entered = run.now
    run.guard.seconds += 0.03
    run.recorder.seconds += 0.02
    run.ledger.beside()
    run.ledger.restart()
    run.turn(VITALS, 1.0, 0.01)
    assert list(run.schedule._costs[VITALS]) == [pytest.approx(0.01)]
    assert run.schedule.wait() == 0, "the look has taken it into account"
    assert run.schedule.due >= 3, "0.03 seconds of 0.01 in each step"


def test_an_examination_that_somebody_asked_for_does_not_make_looks_cheap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = Run(monkeypatch)
    run.turn(None, 1.0)
    run.recorder.seconds += 0.5
    run.turn(VITALS, 1.0, 0.1)
    assert list(run.schedule._costs[VITALS]) == [0.0]


def test_what_passed_before_a_restart_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch)
    run.now, run.guard.seconds = 100.0, 50.0
    run.ledger.restart()
    run.turn(None, 1.0, 0.25)
    assert list(run.schedule._plain) == [0.75]


def test_looking_at_every_step_needs_no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, overhead=None)
    run.turn(VITALS, 1.0, 0.5)
    assert run.schedule.looks[VITALS] == 1
    assert not run.schedule._plain
