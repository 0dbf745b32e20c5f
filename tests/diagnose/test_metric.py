from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.metric import Metric

NOISE = np.random.default_rng(0).normal(size=400)
RISING = np.linspace(0.1, 0.9, 40)


def _logged(values: object, *, falls: bool = False) -> Metric:
    return Metric("reward", np.asarray(values, float), logged=True, falls=falls)


def test_ends_are_means_of_a_fifth() -> None:
    assert Metric("return", np.arange(50.0)).ends == (4.5, 44.5)
    assert _logged([1, 2, 3, 4, 9]).ends == (1.0, 9.0)


@pytest.mark.parametrize(
    ("count", "returns", "logged"),
    [(4, False, False), (5, False, True), (9, False, True), (10, True, True)],
)
def test_what_is_enough(count: int, returns: bool, logged: bool) -> None:
    assert Metric("return", np.zeros(count)).is_enough is returns
    assert _logged(np.zeros(count)).is_enough is logged


def test_what_rises_is_better() -> None:
    values = RISING + 0.1 * NOISE[:40]
    assert _logged(values).is_better
    assert Metric("return", values).is_better
    assert not _logged(-values).is_better
    assert _logged(-values, falls=True).is_better
    assert not _logged(values, falls=True).is_better


def test_what_is_flat_is_not_better() -> None:
    assert not _logged(np.full(50, 0.3)).is_better
    found = [_logged(0.5 + 0.1 * noise(200)).is_better for noise in _seeds(100)]
    assert sum(found) <= 1


@pytest.mark.parametrize(("episodes", "every", "most"), [(200, 1, 12), (1000, 1, 1), (1000, 20, 2)])
def test_a_running_mean_wanders(episodes: int, every: int, most: int) -> None:
    """Of returns that do not change, over a hundred episodes, as many libraries log it."""
    window = np.ones(100) / 100
    found = [
        _logged(np.convolve(20 + 20 * noise(episodes), window, "valid")[::every]).is_better
        for noise in _seeds(100)
    ]
    assert sum(found) <= most


@pytest.mark.parametrize(("scatter", "least"), [(0.02, 100), (0.1, 90), (0.2, 85)])
def test_a_reward_that_scatters(scatter: float, least: int) -> None:
    rising = 0.1 + 0.8 * (1 - np.exp(-4 * np.linspace(0, 1, 60)))
    found = [_logged(rising + scatter * noise(60)).is_better for noise in _seeds(100)]
    assert sum(found) >= least


def _seeds(count: int) -> Iterator[Callable[[int], Any]]:
    return (np.random.default_rng(seed).standard_normal for seed in range(count))


def test_a_trifle_is_no_gain() -> None:
    assert not _logged(0.5 + np.linspace(0, 0.01, 40)).is_better
    assert not _logged([0.90, 0.901, 0.902, 0.903, 0.904]).is_better


@pytest.mark.parametrize(
    ("values", "better"),
    [
        ([0.3, 0.5, 0.6, 0.7, 0.8], True),
        ([0.3, 0.5, 0.6, 0.7, 0.65], False),
        ([0.3, 0.5, 0.6, 0.7, 0.75, 0.74, 0.8], True),
        ([0.3, 0.3, 0.3, 0.3, 0.8], False),
    ],
)
def test_few_values_must_rise_throughout(values: list[float], better: bool) -> None:
    assert _logged(values).is_better is better
