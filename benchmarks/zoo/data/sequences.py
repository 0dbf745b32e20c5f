"""Sequences that are made up: waves, a leaking memory, a majority, a number to recall, a sort."""

from __future__ import annotations

import numpy as np

from .source import VALIDATION, Source, Split, split

PAST = 24  # values of a series that are seen before the one to be forecast
SYMBOLS = 6  # among which the majority is sought
KEYS = 8  # of which one is to be recalled
NUMBERS = 12  # that are to be sorted


def sines(samples: int = 960) -> Source:
    """Two sines of any frequency and phase, some noise: forecast the next value."""
    return Source("sines", samples, _sines)


def leaky(samples: int = 960) -> Source:
    """Twelve pairs of numbers: a sum of the first ones, the older the less, gated by the second."""
    return Source("leaky", samples, _leaky)


def majority(samples: int = 1280) -> Source:
    """Sixteen symbols: which is the most frequent?"""
    return Source("majority", samples, _majority)


def recall(samples: int = 960) -> Source:
    """A key, then symbols that do not matter: which key was it?"""
    return Source("recall", samples, _recall)


def sorting(samples: int = 1280) -> Source:
    """Eight numbers; the target is the same numbers in order."""
    return Source("sorting", samples, _sorting)


def _sines(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    time = np.arange(PAST + 1)
    count = samples + VALIDATION
    series = np.zeros((count, PAST + 1))
    for size in (1.0, 0.5):
        frequency = random.uniform(0.15, 0.9, (count, 1))
        series += size * np.sin(frequency * time + random.uniform(0, 2 * np.pi, (count, 1)))
    series += 0.05 * random.standard_normal(series.shape)
    return split(series[:, :PAST, None], series[:, PAST:], samples, seed)


def _leaky(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    values = random.standard_normal((samples + VALIDATION, 12, 2))
    gated = values[:, :, 0] * (values[:, :, 1] > 0)
    weights = 0.8 ** np.arange(11, -1, -1)
    target = gated @ weights
    return split(values, (target / target.std())[:, None], samples, seed)


def _majority(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    favourite = random.integers(SYMBOLS, size=samples + VALIDATION)
    symbols = random.integers(SYMBOLS, size=(len(favourite), 16))
    favoured = random.random(symbols.shape) < 0.4
    symbols = np.where(favoured, favourite[:, None], symbols)
    counts = np.stack([(symbols == symbol).sum(1) for symbol in range(SYMBOLS)], 1)
    return split(symbols, counts.argmax(1), samples, seed)


def _recall(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    symbols = random.integers(2 * KEYS, size=(samples + VALIDATION, 10))
    symbols[:, 0] = random.integers(KEYS, size=len(symbols))
    return split(symbols, symbols[:, 0], samples, seed)


def _sorting(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    numbers = random.integers(NUMBERS, size=(samples + VALIDATION, 8))
    return split(numbers, np.sort(numbers, 1), samples, seed)
