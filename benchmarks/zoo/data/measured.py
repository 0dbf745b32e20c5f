"""Tables of the third filling: grades, waiting times, terrain, sales, odds, alarms, a torus."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .source import VALIDATION, Source, Split, split

GRADES = 5
GRADE_FEATURES = 7
WAIT_FEATURES = 5
SALE_FEATURES = 9
ODDS_FEATURES = 6
ALARM_FEATURES = 12
REGIONS = 4


def grades(samples: int = 1280) -> Source:
    """Seven measures: which of five grades, one above the other, with some arbitrariness?"""
    return Source("grades", samples, _grades)


def waits(samples: int = 960) -> Source:
    """How long one waits, drawn by chance around a mean that the features tell."""
    return Source("waits", samples, _waits)


def terrain(samples: int = 1280) -> Source:
    """The height of a hilly land at a place."""
    return Source("terrain", samples, _terrain)


def sales(samples: int = 1280) -> Source:
    """Sums of money: most are small, few are very large."""
    return Source("sales", samples, _sales)


def odds(samples: int = 1920) -> Source:
    """Which of three outcomes, of which only the odds can be known."""
    return Source("odds", samples, _odds)


def alarms(samples: int = 1920) -> Source:
    """One case in twelve is an alarm: when two of the measures are high together."""
    return Source("alarms", samples, _alarms)


def regions(samples: int = 960) -> Source:
    """Places in a plane that four curved borders divide."""
    return Source("regions", samples, _regions)


def _standard(values: NDArray[np.floating]) -> NDArray[np.floating]:
    return (values - values.mean(0)) / values.std(0)


def _grades(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, GRADE_FEATURES))
    merit = x[:, 0] + 0.8 * np.tanh(2 * x[:, 1]) + 0.6 * x[:, 2] * x[:, 3]
    merit += 0.2 * random.standard_normal(len(merit))
    borders = np.quantile(merit, np.arange(1, GRADES) / GRADES)
    return split(x, np.searchsorted(borders, merit), samples, seed)


def _waits(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.uniform(-1, 1, (samples + VALIDATION, WAIT_FEATURES))
    mean = np.exp(0.8 * x[:, 0] - x[:, 1] ** 2 + 0.7 * x[:, 2])
    return split(x, random.exponential(mean)[:, None], samples, seed)


def _terrain(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    place = random.uniform(-1, 1, (samples + VALIDATION, 2))
    east, north = place.T
    height = np.sin(5 * east) * np.cos(4 * north) + 0.6 * np.sin(7 * (east + north))
    height += 0.1 * random.standard_normal(len(height))
    return split(place, _standard(height)[:, None], samples, seed)


def _sales(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, SALE_FEATURES))
    logarithm = 0.6 * x[:, 0] + 0.4 * np.abs(x[:, 1]) + 0.3 * x[:, 2] * x[:, 3]
    logarithm += 0.5 * random.standard_normal(len(logarithm))
    return split(x, np.exp(1.2 * logarithm)[:, None], samples, seed)


def _odds(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, ODDS_FEATURES))
    scores = 1.2 * x[:, :3] + 0.8 * np.sin(2 * x[:, 3:])
    chances = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    drawn = (random.random((len(x), 1)) > chances.cumsum(1)).sum(1)
    return split(x, np.minimum(drawn, 2), samples, seed)


def _alarms(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, ALARM_FEATURES))
    alarm = (x[:, 0] > 0.4) & (x[:, 1] + 0.5 * x[:, 2] > 0.9)
    return split(x, alarm.astype(np.float32)[:, None], samples, seed)


def _regions(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.uniform(-2, 2, (samples + VALIDATION, 2))
    above = x[:, 1] > np.sin(2 * x[:, 0])
    right = x[:, 0] > 0.7 * x[:, 1] ** 2 - 1
    return split(x + 0.03 * random.standard_normal(x.shape), 2 * above + right, samples, seed)
