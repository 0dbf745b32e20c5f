"""How often a snapshot is taken."""

from __future__ import annotations

import itertools

import pytest

from paramedic.treat import pace
from paramedic.treat.pace import Pace


def _after(one: Pace, monkeypatch: pytest.MonkeyPatch, step: float, cost: float) -> Pace:
    clock = itertools.count()
    monkeypatch.setattr(pace, "perf_counter", lambda: next(clock) * step)
    for number in range(40):
        one.is_due(number)
    one.took(39, cost, one.every)
    return one


def test_by_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of one percent of the time: 5 ms in steps of 10 ms are due every 100 steps."""
    planned = _after(Pace(None, 0.01), monkeypatch, step=0.01, cost=0.005)
    assert planned.every == 100
    planned.took(50, 0.005, planned.every)
    assert not planned.is_due(149)
    assert planned.is_due(150)


def test_neither_too_often_nor_too_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _after(Pace(None, 0.01), monkeypatch, step=1.0, cost=1e-6).every == 10
    assert _after(Pace(None, 0.01), monkeypatch, step=1e-4, cost=10.0).every == 2000
    assert _after(Pace(None, None), monkeypatch, step=0.01, cost=0.005).every == 25


def test_as_the_user_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _after(Pace(7, 0.01), monkeypatch, step=1e-4, cost=10.0).every == 7


def test_the_first_step_is_due() -> None:
    assert Pace(None, 0.01).is_due(0)
