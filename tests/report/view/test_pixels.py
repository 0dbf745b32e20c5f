from __future__ import annotations

import time

import numpy as np
import pytest

from paramedic.report.view.pixels import bins, envelope, largest, moments, typical


def test_few_steps_are_left_alone() -> None:
    steps = np.array([3, 5, 9])
    assert bins(steps, 3).tolist() == [0, 1, 2]
    found = envelope(steps, np.array([1.0, np.nan, np.inf]), 10)
    assert found.values[0] == 1.0
    assert np.isnan(found.values[1:]).all(), "what is not finite is a gap"
    assert len(found.low) == 0


def test_stretches_are_even_in_steps_not_in_looks() -> None:
    steps = np.array([0, 1, 2, 3, 4, 90, 99])
    assert bins(steps, 2).tolist() == [0, 5]
    assert bins(steps, 4).tolist() == [0, 5], "empty stretches are left out"


def test_no_pixel_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="at least 1 pixel but got 0"):
        bins(np.arange(3), 0)


def test_a_spike_stays_visible() -> None:
    values = np.ones(100_000)
    values[77_777] = 1e9
    values[12_345] = -5.0
    found = envelope(np.arange(100_000), values, 300)
    assert len(found.values) == 300
    assert found.high.max() == 1e9
    assert found.low.min() == -5.0
    assert np.median(found.values) == 1.0


def test_gaps_within_a_stretch_do_not_count() -> None:
    values = np.array([1.0, np.nan, 3.0, np.inf, np.nan, np.nan])
    found = envelope(np.arange(6), values, 3)
    assert found.values[:2].tolist() == [1.0, 3.0]
    assert np.isnan(found.values[2])
    assert np.isnan(found.high[2])


def test_a_sum_that_overflows_is_no_gap() -> None:
    found = envelope(np.arange(4), np.full(4, 1.5e308), 2)
    assert found.values.tolist() == [1.5e308, 1.5e308]


def test_maps_keep_the_largest_or_the_typical() -> None:
    rows = np.array([[1, 4], [100, np.nan], [1, np.inf], [1, 0]], np.float32)
    starts = np.array([0, 2])
    assert largest(rows, starts).tolist() == [[100, 4], [1, np.inf]]
    assert typical(rows, starts).round(4).tolist() == [[10, 4], [1, np.inf]]
    assert largest(rows, np.arange(4)) is rows
    assert typical(rows, np.arange(4)) is rows


def test_moments_are_thinned_to_pixels() -> None:
    happened = np.zeros(1000, bool)
    happened[100:300] = True
    found = moments(np.arange(1000), happened, 20)
    assert len(found) == 20
    assert found[0] == 100
    assert len(moments(np.arange(1000), np.zeros(1000, bool), 20)) == 0


def test_long_runs_are_thinned_quickly() -> None:
    steps, values = np.arange(100_000), np.random.default_rng(0).random(100_000)
    took = []
    for _ in range(3):
        began = time.perf_counter()
        envelope(steps, values, 480)
        took.append(time.perf_counter() - began)
    assert min(took) < 0.2
