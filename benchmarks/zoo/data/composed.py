"""Data of the fifth filling: lists to rank, lifetimes, spectra, hands of clocks, series."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .source import VALIDATION, Source, Split, split

LISTED = 8  # candidates of a list
LIST_FEATURES = 5
LIFE_FEATURES = 6
BINS = 40  # of a spectrum
SUBSTANCES = 4
DAYS = 14
LEVELS = 3
FIGURES = 10  # digits of which two numbers are made


def lists(samples: int = 960) -> Source:
    """Eight candidates with five features each; the target is how relevant each of them is."""
    return Source("lists", samples, _lists)


def lifetimes(samples: int = 1280) -> Source:
    """Six features; the target is a time and if the end was seen (1) or only the time until (0)."""
    return Source("lifetimes", samples, _lifetimes)


def spectra(samples: int = 1280) -> Source:
    """Spectra of mixtures: which of four substances, each with two lines, are in it?"""
    return Source("spectra", samples, _spectra)


def clocks(samples: int = 960) -> Source:
    """12 by 12 pictures of a hand in noise; the target is the cosine and sine of its angle."""
    return Source("clocks", samples, _clocks)


def demand(samples: int = 960) -> Source:
    """Two weeks of sales with a weekly rhythm and a trend: how many the day after?"""
    return Source("demand", samples, _demand)


def levels(samples: int = 960) -> Source:
    """A noisy reading of something that jumps between three levels: which level, at each moment?"""
    return Source("levels", samples, _levels)


def comparing(samples: int = 1920) -> Source:
    """Two numbers of three digits each, one after the other: is the first the larger?"""
    return Source("comparing", samples, _comparing)


def _standard(values: NDArray[np.floating]) -> NDArray[np.floating]:
    return (values - values.mean(0)) / values.std(0)


def _lists(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, LISTED, LIST_FEATURES))
    merit = x[..., 0] + np.tanh(2 * x[..., 1]) + 0.7 * x[..., 2] * x[..., 3]
    merit += 0.3 * random.standard_normal(merit.shape)
    return split(x, merit, samples, seed)


def _lifetimes(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, LIFE_FEATURES))
    hazard = np.exp(0.9 * x[:, 0] - 0.7 * np.abs(x[:, 1]) + 0.6 * x[:, 2])
    death, leaving = random.exponential(1 / hazard), random.exponential(3.0, len(x))
    target = np.stack([np.minimum(death, leaving), (death < leaving).astype(float)], 1)
    return split(x, target, samples, seed)


def _spectra(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    present = random.random((samples + VALIDATION, SUBSTANCES)) < 0.4
    bins = np.arange(BINS)
    lines = np.array([[6, 22], [12, 30], [9, 35], [17, 26]])
    shape = np.exp(-0.5 * ((bins - lines[..., None]) / 1.5) ** 2).sum(1)
    amounts = present * random.uniform(0.5, 1.5, present.shape)
    spectrum = amounts @ shape + 0.25 * random.standard_normal((len(present), BINS))
    spectrum = (spectrum - spectrum.mean()) / spectrum.std()
    return split(spectrum[..., None], present.astype(np.float32), samples, seed)


def _clocks(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    angle = random.uniform(0, 2 * np.pi, samples + VALIDATION)
    direction = np.stack([np.cos(angle), np.sin(angle)], 1)
    row, column = np.mgrid[:12, :12] - 5.5
    along = direction[:, 0, None, None] * column + direction[:, 1, None, None] * row
    aside = direction[:, 0, None, None] * row - direction[:, 1, None, None] * column
    hand = ((along > 0) & (along < 5) & (abs(aside) < 0.8)).astype(float)
    pictures = hand + 0.2 * random.standard_normal(hand.shape)
    pictures = (pictures - pictures.mean()) / pictures.std()
    return split(pictures[:, None], direction, samples, seed)


def _demand(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    day = np.arange(DAYS + 1)
    week = random.standard_normal((count, 7))[:, day % 7]
    level = random.standard_normal((count, 1)) + 0.06 * random.standard_normal((count, 1)) * day
    series = week + level + 0.25 * random.standard_normal(week.shape)
    return split(series[:, :DAYS, None], series[:, DAYS:], samples, seed)


def _levels(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    level = np.zeros((samples + VALIDATION, DAYS), np.int64)
    level[:, 0] = random.integers(LEVELS, size=len(level))
    for moment in range(1, DAYS):
        jumps = random.random(len(level)) < 0.15
        level[:, moment] = np.where(
            jumps, random.integers(LEVELS, size=len(level)), level[:, moment - 1]
        )
    reading = level - 1 + 0.45 * random.standard_normal(level.shape)
    return split(reading[..., None], level, samples, seed)


def _comparing(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    figures = random.integers(FIGURES, size=(samples + VALIDATION, 6))
    first, second = figures[:, :3] @ [100, 10, 1], figures[:, 3:] @ [100, 10, 1]
    return split(figures, (first > second).astype(np.float32)[:, None], samples, seed)
