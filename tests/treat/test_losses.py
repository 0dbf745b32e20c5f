"""A loss that explodes, and losses that only look like it."""

from __future__ import annotations

import numpy as np
import pytest

from paramedic.treat.limits import Limits
from paramedic.treat.losses import LossWatch


def _fallen(noise: float = 0.05, steps: int = 300, seed: int = 0) -> LossWatch:
    """A run that came down from 2.3 to 0.3."""
    watch = LossWatch(Limits())
    draw = np.random.default_rng(seed)
    for step in range(steps):
        loss = 0.3 + 2.0 * np.exp(-step / 40) + noise * abs(draw.normal())
        watch.see(step, float(loss))
        assert not watch.exploded(0.5)
    return watch


def test_an_explosion_is_seen_and_dated() -> None:
    watch = _fallen()
    seen = []
    for step in range(300, 310):
        watch.see(step, 2.0)
        seen.append(watch.exploded(0.5))
    assert seen.index(True) == 5
    assert watch.began == 302  # of the last eight
    assert not watch.calm
    usual, level = watch.level
    assert usual == pytest.approx(0.33, abs=0.02)
    assert level == 2.0


def test_a_single_wild_batch_is_a_spike_and_no_explosion() -> None:
    watch = _fallen()
    assert watch.is_spike(5.0)
    watch.see(300, 5.0)
    assert not watch.exploded(0.5)
    assert watch.calm


def test_what_was_lost_must_matter() -> None:
    watch = _fallen(noise=0.001)
    for step in range(300, 308):
        watch.see(step, 0.5)
    assert not watch.exploded(0.5)
    assert watch.exploded(0.05)


@pytest.mark.parametrize("seed", range(20))
def test_heavy_tails_are_noise(seed: int) -> None:
    watch = LossWatch(Limits())
    draw = np.random.default_rng(seed)
    for step, loss in enumerate(np.exp(draw.normal(-2.0, 1.5, 2000))):
        watch.see(step, float(loss))
        assert not watch.exploded(0.5)


def test_what_lasts_becomes_usual() -> None:
    watch = _fallen(noise=0.001)
    for step in range(300, 560):
        watch.see(step, 0.5 + 0.001 * (step % 7))
    assert watch.calm
    assert not watch.is_elevated(0.506)


def test_forgetting_recent_losses() -> None:
    watch = _fallen()
    for step in range(300, 308):
        watch.see(step, 2.0)
    watch.forget()
    assert watch.calm
    assert not watch.exploded(0.5)
    assert watch.is_elevated(2.0)


def test_after_a_mark_it_is_held_against_what_was_right_before() -> None:
    """Early in a run the usual range still has the losses of the descent."""
    watch = LossWatch(Limits())
    for step in range(60):
        watch.see(step, 0.3 + 2.0 * np.exp(-step / 12) + 0.01 * (step % 3))
    watch.mark()
    for step in range(60, 66):
        watch.see(step, 1.2)
        assert watch.exploded(0.1) == (step == 65)
    watch.unmark()
    assert not watch.exploded(0.1)
    LossWatch(Limits()).mark()


def test_improving() -> None:
    watch = LossWatch(Limits())
    assert not watch.improving  # nobody has seen a loss
    draw = np.random.default_rng(0)
    for step in range(400):
        watch.see(step, 0.3 + 2.0 * np.exp(-step / 60) + 0.05 * draw.normal())
        if step in (5, 100, 150):
            assert watch.improving
    assert not watch.improving


def test_harm_is_seen_soon_where_something_was_done() -> None:
    watch = _fallen()
    watch.mark()
    watch.see(300, 5.0)  # of the step itself: it was not taken yet
    seen = []
    for step in range(301, 305):
        watch.see(step, 1.0)
        seen.append(watch.harmed(0.1))
    assert seen == [False, False, True, True]
    watch.unmark()
    assert not watch.harmed(0.1)


def test_noise_after_a_mark_is_no_harm() -> None:
    for seed in range(20):
        watch = _fallen(seed=seed)
        watch.mark()
        draw = np.random.default_rng(100 + seed)
        for step in range(300, 400):
            watch.see(step, 0.3 + 0.05 * abs(draw.normal()))
            assert not watch.harmed(0.1)
