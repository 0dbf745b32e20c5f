"""Data of the sixth filling: an arm with joints, needles in bags, peaks to count."""

from __future__ import annotations

import numpy as np

from .source import VALIDATION, Source, Split, split

ARM_FEATURES = 6
STRAWS = 8  # of a bag
STRAW_FEATURES = 4
PEAKS = 4  # at most, of a series
MOMENTS = 24


def arms(samples: int = 960) -> Source:
    """The lengths of three links and the angles between them: where is the hand?"""
    return Source("arms", samples, _arms)


def needles(samples: int = 1280) -> Source:
    """Bags of eight points: is one of them in the small region that is sought?"""
    return Source("needles", samples, _needles)


def peaks(samples: int = 960) -> Source:
    """A noisy series with up to four peaks: how many?"""
    return Source("peaks", samples, _peaks)


def _arms(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    bends = random.uniform(-1, 1, (samples + VALIDATION, 3))
    lengths = random.uniform(-1, 1, bends.shape)
    angles = (1.2 * bends).cumsum(1)
    links = 1 + 0.4 * lengths
    hand = np.stack([(links * np.cos(angles)).sum(1), (links * np.sin(angles)).sum(1)], 1)
    hand = (hand - hand.mean(0)) / hand.std(0) + 0.03 * random.standard_normal(hand.shape)
    return split(1.7 * np.concatenate([bends, lengths], 1), hand, samples, seed)


def _needles(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    straws = random.standard_normal((samples + VALIDATION, STRAWS, STRAW_FEATURES))
    found = random.random(len(straws)) < 0.5
    place = random.integers(STRAWS, size=len(straws))
    straws[found, place[found]] *= 0.3
    straws[found, place[found]] += np.array([1.8, -1.8, 1.8, 0.0])
    return split(straws, found.astype(np.float32)[:, None], samples, seed)


def _peaks(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = random.integers(PEAKS + 1, size=samples + VALIDATION)
    series = 0.15 * random.standard_normal((len(count), MOMENTS))
    for row, wanted in zip(series, count, strict=True):
        for place in 5 * random.choice(PEAKS + 1, wanted, replace=False) + 2:
            row[place - 1 : place + 2] += np.array([0.5, 1.5, 0.5])
    return split(series[..., None], count, samples, seed)
