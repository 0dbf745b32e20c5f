"""The losses of a long run in a few hundred numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paramedic.trace.losses import LossHistory
from paramedic.types import Losses


def _kept(losses: np.ndarray, skipped: tuple[int, ...] = ()) -> Losses:
    history = LossHistory()
    for step, loss in enumerate(losses.tolist()):
        history.add(loss, math.isfinite(loss), step in skipped)
    return history.condensed()


def test_a_short_run_is_kept_as_it_is() -> None:
    losses = np.linspace(3, 1, 200)
    found = _kept(losses)
    assert found.width == 1
    assert np.array_equal(found.levels, losses)
    assert np.array_equal(found.first, losses[:32])


@pytest.mark.parametrize("steps", [243, 244, 729, 730, 1500, 5000, 100_000])
def test_a_long_run_is_condensed_in_order(steps: int) -> None:
    found = _kept(np.arange(steps, dtype=float))
    assert len(found) <= 3**6 + 243
    assert abs(len(found) * found.width - steps) <= 3 * found.width
    assert (np.diff(found.levels) > 0).all()
    assert found.levels[0] <= found.width
    assert found.levels[-1] >= steps - 1 - 2 * found.width
    assert np.array_equal(found.first, np.arange(32.0))


def test_outliers_do_not_move_the_levels() -> None:
    losses = np.ones(20_000)
    losses[::7] = 1e9
    assert (_kept(losses).levels == 1).mean() > 0.97


def test_what_is_not_finite_is_counted_not_averaged() -> None:
    losses = np.ones(10_000)
    losses[5000:] = np.nan
    found = _kept(losses)
    half = len(found) // 2
    assert found.bad[: half - 1].max() == 0
    assert found.bad[half + 1 :].min() == 1
    assert np.nanmax(found.levels) == 1


def test_skipped_steps_say_nothing() -> None:
    assert len(_kept(np.array([1.0, np.nan, 2.0]), skipped=(1,))) == 2


def test_the_newest_loss_may_be_amended() -> None:
    history = LossHistory()
    history.amend(5.0, finite=True)  # there is none yet
    for _ in range(600):
        history.add(1.0, True, False)
    history.amend(7.0, finite=True)
    assert history.condensed().levels[-1] == 7
    history.amend(7.0, finite=False)
    assert history.condensed().bad[-1] == 1


def test_a_loss_that_was_not_seen_is_not_a_bad_one() -> None:
    history = LossHistory()
    for _ in range(50):
        history.add(math.nan, True, False)
    found = history.condensed()
    assert np.isnan(found.levels).all()
    assert found.bad.max() == 0
