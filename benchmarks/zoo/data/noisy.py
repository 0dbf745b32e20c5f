"""Tables whose noise is part of the task: counts, heavy tails, lines, coins, the rare, ratings."""

from __future__ import annotations

import numpy as np

from .source import VALIDATION, Source, Split, split

COUNT_FEATURES = 6
HEAVY_FEATURES = 6
LINE_FEATURES = 12
COIN_FEATURES = 8
RARE_FEATURES = 10
READERS, BOOKS = 60, 40


def counts(samples: int = 960) -> Source:
    """How often something happens, drawn by chance around a rate that the features tell."""
    return Source("counts", samples, _counts)


def heavy(samples: int = 960) -> Source:
    """A smooth target and noise with heavy tails, as of prices: some errors cannot be avoided."""
    return Source("heavy", samples, _heavy)


def lines(samples: int = 960) -> Source:
    """A weighted sum and as much noise as a tenth of its variance: a line is the best answer."""
    return Source("lines", samples, _lines)


def coins(samples: int = 1920) -> Source:
    """Yes or no by chance, of which the features tell the odds: nobody can be right always."""
    return Source("coins", samples, _coins)


def rare(samples: int = 1920) -> Source:
    """One sample in sixteen is of the second class, which is a cloud of its own."""
    return Source("rare", samples, _rare)


def ratings(samples: int = 2400) -> Source:
    """A reader and a book, as two numbers: how well did it please?"""
    return Source("ratings", samples, _ratings)


def _counts(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, COUNT_FEATURES))
    rate = np.exp(0.5 + 0.8 * x[:, 0] + 0.5 * np.sin(2 * x[:, 1]) - 0.4 * x[:, 2] * (x[:, 3] > 0))
    return split(x, random.poisson(rate).astype(np.float32)[:, None], samples, seed)


def _heavy(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.uniform(-1, 1, (samples + VALIDATION, HEAVY_FEATURES))
    y = 2 * x[:, 0] + np.sin(3 * x[:, 1]) + x[:, 2] * x[:, 3]
    y += 0.3 * random.standard_t(2.5, len(y))
    return split(x, y[:, None], samples, seed)


def _lines(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, LINE_FEATURES))
    y = x @ random.standard_normal(LINE_FEATURES)
    y = y / y.std() + 0.3 * random.standard_normal(len(y))
    return split(x, y[:, None], samples, seed)


def _coins(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, COIN_FEATURES))
    weights = random.standard_normal(COIN_FEATURES)
    odds = 1 / (1 + np.exp(-2.0 * (x @ weights) / np.linalg.norm(weights)))
    return split(x, (random.random(len(x)) < odds).astype(np.float32)[:, None], samples, seed)


def _rare(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    kinds = (random.random(samples + VALIDATION) < 1 / 16).astype(np.int64)
    middle = random.standard_normal(RARE_FEATURES)
    middle *= 3.0 / np.linalg.norm(middle)
    x = random.standard_normal((len(kinds), RARE_FEATURES)) + kinds[:, None] * middle
    return split(x, kinds, samples, seed)


def _ratings(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    tastes = random.standard_normal((READERS, 3))
    kinds = random.standard_normal((BOOKS, 3))
    reader = random.integers(READERS, size=samples + VALIDATION)
    book = random.integers(BOOKS, size=len(reader))
    rating = (tastes[reader] * kinds[book]).sum(1) / np.sqrt(3)
    rating += 0.3 * random.standard_normal(len(rating))
    inputs = np.stack([reader, READERS + book], 1)
    return split(inputs, rating[:, None], samples, seed)
