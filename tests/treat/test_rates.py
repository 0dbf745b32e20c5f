"""A learning rate that jumps, and rates that only move."""

from __future__ import annotations

import math

import pytest

from paramedic.treat.limits import Limits
from paramedic.treat.rates import RateWatch


def _after(rates: list[float]) -> RateWatch:
    watch = RateWatch(Limits())
    for step, rate in enumerate(rates):
        watch.see(step, rate)
    return watch


def test_a_jump_is_seen_and_dated() -> None:
    watch = _after([0.1] * 50 + [3.0] * 5)
    assert watch.jumped_at == 50
    assert watch.excess == pytest.approx(30.0)
    assert watch.leapt
    assert not _after([0.1] * 50 + [0.5] * 5).leapt


def test_what_did_no_harm_for_long_is_no_jump() -> None:
    watch = _after([0.1] * 50 + [3.0] * 120)
    assert watch.jumped_at is None
    watch.see(170, 3.0)
    assert not watch.restarted


def test_a_jump_that_ends() -> None:
    assert _after([0.1] * 50 + [3.0] * 5 + [0.1]).jumped_at is None


def test_a_warm_up_is_no_jump() -> None:
    assert _after([1e-3 * step for step in range(1, 500)]).jumped_at is None
    assert _after([0.0, *[0.1 * 1.1**step for step in range(60)]]).jumped_at is None


def test_a_restart_is_no_jump_but_known() -> None:
    cosine = [0.5 * (1 + math.cos(math.pi * step / 100)) for step in range(100)]
    watch = _after([*cosine, 1.0])
    assert watch.jumped_at is None
    assert watch.restarted
    watch.see(101, 0.99)
    assert not watch.restarted


def test_no_rate_at_all() -> None:
    assert _after([math.nan] * 60).jumped_at is None
