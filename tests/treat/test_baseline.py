"""The usual range of a number."""

from __future__ import annotations

import numpy as np
import pytest

from paramedic.treat.baseline import Baseline


def test_says_nothing_before_it_has_seen_enough() -> None:
    baseline = Baseline(100, 20)
    for value in range(19):
        baseline.add(value)
    assert not baseline.ready
    baseline.add(19)
    assert baseline.ready
    assert baseline.median == 9.5


def test_agrees_with_numpy() -> None:
    values = np.random.default_rng(0).normal(3.0, 2.0, 108)
    baseline = Baseline(100, 4)
    for value in values:
        baseline.add(float(value))
    kept = values[-100:]
    assert baseline.median == pytest.approx(np.median(kept))
    spread = 1.4826 * np.median(np.abs(kept - np.median(kept)))
    assert baseline.sigma == pytest.approx(spread)
    assert baseline.high == pytest.approx(np.sort(kept)[97])
    assert baseline.top == pytest.approx(kept.max())
    assert len(baseline) == 100


def test_one_wild_value_moves_nothing_much() -> None:
    baseline = Baseline(100, 20)
    for _ in range(40):
        baseline.add(1.0)
    baseline.add(1e9)
    for _ in range(8):
        baseline.add(1.0)
    assert (baseline.median, baseline.sigma, baseline.high) == (1.0, 0.0, 1.0)


def test_forgets() -> None:
    baseline = Baseline(100, 2)
    baseline.add(1.0)
    baseline.add(2.0)
    assert baseline.ready
    baseline.clear()
    assert not baseline.ready
