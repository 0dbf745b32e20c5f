"""Moments by segments and their merge, against sums of powers in float64."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from paramedic.probe.moments import Moments, merge, segment_moments, with_zeros

FIELDS = [field.name for field in fields(Moments)]

numbers = st.floats(-1e3, 1e3, width=32, allow_subnormal=False)
vectors = hnp.arrays(np.float32, st.integers(1, 60), elements=numbers)


def _exact(values: np.ndarray) -> dict[str, float]:
    """All fields of one row, by their definition."""
    x = np.asarray(values, np.float64)
    d = x - x.mean()
    return {
        "count": len(x),
        "bad": 0,
        "zero": np.count_nonzero(x == 0),
        "absolute": np.abs(x).sum(),
        "mean": x.mean(),
        "m2": (d**2).sum(),
        "m3": (d**3).sum(),
        "m4": (d**4).sum(),
        "low": x.min(),
        "high": x.max(),
    }


def _of(values: np.ndarray) -> Moments:
    """The moments of one vector, which may be empty."""
    if not len(values):
        return Moments.empty(1)
    return segment_moments(np.asarray(values, np.float32), np.array([0]))


def _check(found: Moments, values: np.ndarray, row: int = 0, rel: float = 1e-5) -> None:
    """Every field agrees to `rel` of what the row's range allows it to be."""
    exact = _exact(values)
    spread, n = exact["high"] - exact["low"], exact["count"]
    room = {
        "mean": spread + abs(exact["mean"]),
        "absolute": exact["absolute"],
        "m2": n * spread**2,
        "m3": n * spread**3,
        "m4": n * spread**4,
    }
    for name, value in exact.items():
        slack = rel * room.get(name, 0.0)
        assert getattr(found, name)[row] == pytest.approx(value, rel=1e-12, abs=slack), name


@settings(deadline=None)
@given(vectors)
def test_one_segment(x: np.ndarray) -> None:
    _check(_of(x), x)


@settings(deadline=None)
@given(st.lists(vectors, min_size=1, max_size=6))
def test_many_segments_do_not_mix(parts: list[np.ndarray]) -> None:
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    found = segment_moments(np.concatenate(parts), starts)
    for row, part in enumerate(parts):
        _check(found, part, row)


@settings(deadline=None)
@given(vectors, st.floats(0, 1))
def test_two_halves_are_the_whole_wherever_it_is_cut(x: np.ndarray, share: float) -> None:
    cut = round(share * len(x))
    _check(merge(_of(x[:cut]), _of(x[cut:])), x)


@settings(deadline=None)
@given(vectors, vectors, vectors)
def test_merging_does_not_depend_on_the_order(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    whole = np.concatenate([a, b, c])
    _check(merge(merge(_of(a), _of(b)), _of(c)), whole)
    _check(merge(_of(c), merge(_of(b), _of(a))), whole)


@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1.0, 1e12, 1e30])
def test_shape_does_not_depend_on_the_scale(scale: float) -> None:
    plain = np.random.default_rng(0).gamma(2.0, size=500)
    scaled = (plain * scale).astype(np.float32)
    found, exact = _of(scaled), _exact(plain)
    variance = found.m2[0] / 500
    assert np.sqrt(variance) == pytest.approx(scale * np.sqrt(exact["m2"] / 500), rel=1e-5)
    skew = (found.m3[0] / 500) / variance**1.5
    kurtosis = (found.m4[0] / 500) / variance**2
    assert skew == pytest.approx((exact["m3"] / 500) / (exact["m2"] / 500) ** 1.5, rel=1e-4)
    assert kurtosis == pytest.approx((exact["m4"] / 500) / (exact["m2"] / 500) ** 2, rel=1e-4)


@pytest.mark.parametrize("centre", [1.0, -1.0, 100.0])
def test_a_spread_far_below_the_mean_does_not_drown(centre: float) -> None:
    x = (centre + 1e-3 * np.random.default_rng(1).standard_normal(2000)).astype(np.float32)
    found, exact = _of(x), _exact(x)
    assert found.m2[0] == pytest.approx(exact["m2"], rel=1e-4)
    assert found.m4[0] == pytest.approx(exact["m4"], rel=1e-4)
    assert found.mean[0] == pytest.approx(exact["mean"], rel=1e-7)


@pytest.mark.parametrize("value", [0.0, 1.0, -3.7, 1e-30, 3e38])
@pytest.mark.parametrize("count", [1, 2, 1000])
def test_a_constant_has_no_spread(value: float, count: int) -> None:
    found = _of(np.full(count, value, np.float32))
    assert [found.m2[0], found.m3[0], found.m4[0]] == [0.0, 0.0, 0.0]
    assert found.mean[0] == found.low[0] == found.high[0] == np.float32(value)
    assert found.zero[0] == (count if value == 0 else 0)


def test_extremes_whose_difference_does_not_fit() -> None:
    x = np.array([3e38, -3e38, 1e38, 0.0], np.float32)
    found, exact = _of(x), _exact(x)
    assert found.m2[0] == pytest.approx(exact["m2"], rel=1e-5)
    assert found.mean[0] == pytest.approx(exact["mean"], rel=1e-5)


def test_one_outlier_among_many() -> None:
    rng = np.random.default_rng(2)
    x = np.append(1 + 1e-3 * rng.standard_normal(2**16 - 1), 30.0).astype(np.float32)
    found, exact = _of(x), _exact(x)
    assert found.m2[0] == pytest.approx(exact["m2"], rel=0.02)
    assert found.m4[0] == pytest.approx(exact["m4"], rel=0.02)


def test_a_sum_beyond_float32_stays_finite() -> None:
    found = _of(np.full(100, 3e37, np.float32))
    assert found.absolute[0] == pytest.approx(3e39, rel=1e-5)


def test_empty_is_neutral_on_both_sides() -> None:
    x = np.array([1.0, -2.0, 0.0, 4.0], np.float32)
    for found in (merge(_of(x), Moments.empty(1)), merge(Moments.empty(1), _of(x))):
        _check(found, x)
    nothing = merge(Moments.empty(2), Moments.empty(2))
    assert nothing.count.tolist() == [0.0, 0.0]
    assert nothing.mean.tolist() == [0.0, 0.0]
    assert nothing.low.tolist() == [np.inf, np.inf]


def test_bad_values_are_counted_together() -> None:
    a, b = _of(np.ones(3)), _of(np.zeros(2))
    a.bad, b.bad = np.array([2.0]), np.array([5.0])
    assert merge(a, b).bad[0] == 7.0


def test_a_table_and_back() -> None:
    original = segment_moments(np.arange(12, dtype=np.float32), np.array([0, 5]))
    table = original.table()
    assert table.shape == (len(FIELDS), 2)
    again = Moments.from_table(table)
    for name in FIELDS:
        assert getattr(again, name).tolist() == getattr(original, name).tolist(), name


@settings(deadline=None)
@given(vectors, st.integers(0, 200))
def test_zeros_that_are_not_stored(x: np.ndarray, zeros: int) -> None:
    found = with_zeros(_of(x), np.array([float(zeros)]))
    _check(found, np.concatenate([x, np.zeros(zeros, np.float32)]))


def test_zeros_only_go_to_their_row() -> None:
    both = segment_moments(np.array([1.0, 3.0, 1.0, 3.0], np.float32), np.array([0, 2]))
    found = with_zeros(both, np.array([0.0, 2.0]))
    assert found.count.tolist() == [2.0, 4.0]
    assert found.mean.tolist() == [2.0, 1.0]
    assert found.low.tolist() == [1.0, 0.0]


def test_a_row_of_nothing_but_zeros_that_are_not_stored() -> None:
    found = with_zeros(Moments.empty(1), np.array([8.0]))
    _check(found, np.zeros(8))
