"""Points in a plane, a regression with known noise, and exchange rates."""

from __future__ import annotations

from io import StringIO

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_friedman1

from .source import VALIDATION, Source, Split, split, text

WINDOW = 16  # days seen before the day to be forecast
CURRENCIES = 8


def circles(samples: int = 640) -> Source:
    """Two rings: a linear model cannot tell them apart."""
    return Source("circles", samples, _circles)


def blobs(samples: int = 640) -> Source:
    """Three clouds in eight dimensions that overlap a little."""
    return Source("blobs", samples, _blobs)


def friedman(samples: int = 960) -> Source:
    """Ten features, a smooth non-linear target of mean 0 and deviation 1, some noise."""
    return Source("friedman", samples, _friedman)


def exchange(samples: int = 960) -> Source:
    """Eight currencies, standardised: forecast a day from the sixteen before."""
    return Source("exchange", samples, _exchange)


def _circles(samples: int, seed: int) -> Split:
    inputs, targets = make_circles(samples + VALIDATION, noise=0.08, factor=0.5, random_state=seed)
    return split(inputs, targets, samples, seed)


def _blobs(samples: int, seed: int) -> Split:
    inputs, targets = make_blobs(
        samples + VALIDATION, 8, centers=3, cluster_std=4.0, random_state=seed
    )
    return split(inputs / inputs.std(), targets, samples, seed)


def _friedman(samples: int, seed: int) -> Split:
    inputs, targets = make_friedman1(samples + VALIDATION, 10, noise=0.5, random_state=seed)
    targets = (targets - targets.mean()) / targets.std()
    return split(inputs * 2 - 1, targets[:, None], samples, seed)


def _exchange(samples: int, seed: int) -> Split:
    rates = np.loadtxt(StringIO(text("exchange_rate/exchange_rate.csv.gz")), delimiter=",")
    rates = (rates - rates.mean(0)) / rates.std(0)
    windows = np.lib.stride_tricks.sliding_window_view(rates, WINDOW + 1, axis=0)
    windows = windows.transpose(0, 2, 1)
    return split(windows[:, :WINDOW], windows[:, WINDOW], samples, seed)
