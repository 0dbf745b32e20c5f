"""Loss curves with a little noise, the same at every call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Losses = NDArray[np.float64]


def resting(level: float = 2.3, steps: int = 160, noise: float = 0.005) -> Losses:
    """A loss that goes nowhere; `noise` is a share of its level."""
    return _noisy(np.full(steps, level), noise)


def sloping(first: float, last: float, steps: int = 160, noise: float = 0.001) -> Losses:
    """A loss that goes from one level to the other in a straight line."""
    return _noisy(np.linspace(first, last, steps), noise)


def learning(first: float = 2.3, last: float = 0.1, steps: int = 160) -> Losses:
    """A loss that falls fast and then rests."""
    return _noisy(last + (first - last) * np.exp(-np.arange(steps) / (steps / 20)), 0.001)


def stepping(first: float, last: float, steps: int = 160, noise: float = 0.005) -> Losses:
    """A loss that is on one level for a quarter of the time, then on another."""
    return _noisy(np.repeat([first, last, last, last], steps // 4), noise)


def _noisy(losses: Losses, noise: float) -> Losses:
    return losses * (1 + noise * np.random.default_rng(0).standard_normal(len(losses)))
