"""Gradients out of all proportion."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paramedic.treat.limits import Limits
from paramedic.treat.spikes import NormWatch, Size


def _watch(noise: float, level: float = 3.0) -> NormWatch:
    watch = NormWatch(Limits())
    for value in np.random.default_rng(0).normal(math.log(level), noise, 100):
        watch.add(math.exp(value))
    return watch


def test_sizes() -> None:
    watch = _watch(noise=0.1)
    assert watch.level == pytest.approx(3.0, rel=0.1)
    assert watch.size(60.0) is Size.SPIKE
    assert watch.size(3000.0) is Size.SPIKE
    assert watch.size(9.0) is Size.USUAL
    assert watch.size(3e-8) is Size.COLLAPSE
    assert watch.size(0.0) is Size.COLLAPSE
    assert watch.size(0.1) is Size.USUAL


def test_a_quiet_gradient_may_still_grow_a_little() -> None:
    """Ten deviations of next to nothing are nothing."""
    watch = _watch(noise=1e-6)
    assert watch.size(12.0) is Size.USUAL
    assert watch.size(16.0) is Size.SPIKE


def test_a_wild_gradient_may_grow_more() -> None:
    watch = _watch(noise=0.5)
    assert watch.size(60.0) is Size.USUAL
    assert watch.size(3000.0) is Size.SPIKE


def test_many_times_the_largest_so_far_is_a_spike_nearer_by() -> None:
    """A normal deviation of 0.35: ten of them are a factor of 33, six of them one of 8."""
    watch = _watch(noise=0.35)
    top = math.exp(watch._usual.top)
    assert 6 < top < 10
    assert watch.size(3.4 * top) is Size.USUAL
    assert watch.size(4.9 * top) is Size.SPIKE
    short = NormWatch(Limits(history=400))
    for value in np.random.default_rng(0).normal(math.log(3.0), 0.35, 100):
        short.add(math.exp(value))
    assert short.size(4.9 * top) is Size.USUAL


def test_too_early_to_tell() -> None:
    watch = NormWatch(Limits())
    assert watch.size(1e9) is Size.USUAL
    assert math.isnan(watch.level)


def test_a_new_size_is_accepted() -> None:
    watch = _watch(noise=0.1)
    watch.accept()
    for _ in range(20):
        watch.add(1e4)
    assert watch.size(1e4) is Size.USUAL
