"""More tables and points: shells, a checkerboard, squares, a circuit, a roll, pairs, bags."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import (
    make_friedman2,
    make_gaussian_quantiles,
    make_hastie_10_2,
    make_swiss_roll,
)

from .source import VALIDATION, Source, Split, split

SHELLS = 3
SHELL_FEATURES = 5
GROUPS = 8  # from which the two of a pair come
PAIR_FEATURES = 12
BAG = 10  # points of a bag
COLOURS = 4  # of the points of a bag, of which one is the most frequent


def shells(samples: int = 960) -> Source:
    """Three shells around one another in five dimensions."""
    return Source("shells", samples, _shells)


def checkers(samples: int = 960) -> Source:
    """A board of three by three fields: is the field black?"""
    return Source("checkers", samples, _checkers)


def hastie(samples: int = 1280) -> Source:
    """Ten normal features: is the sum of their squares large?"""
    return Source("hastie", samples, _hastie)


def circuit(samples: int = 960) -> Source:
    """The impedance of a circuit by four measures, all standardised."""
    return Source("circuit", samples, _circuit)


def swiss(samples: int = 960) -> Source:
    """Points of a roll in space: how far along the roll?"""
    return Source("swiss", samples, _swiss)


def pairs(samples: int = 1280) -> Source:
    """Two noisy members of groups, as [N, 2, features]: of the same group?"""
    return Source("pairs", samples, _pairs)


def spread(samples: int = 960) -> Source:
    """Bags of points: how far apart are they?"""
    return Source("spread", samples, _spread)


def colours(samples: int = 1280) -> Source:
    """Bags of points of four colours in three dimensions: which colour is the most frequent?"""
    return Source("colours", samples, _colours)


def _standard(values: NDArray[np.floating]) -> NDArray[np.floating]:
    return (values - values.mean(0)) / values.std(0)


def _shells(samples: int, seed: int) -> Split:
    inputs, targets = make_gaussian_quantiles(
        n_samples=samples + VALIDATION,
        n_features=SHELL_FEATURES,
        n_classes=SHELLS,
        random_state=seed,
    )
    return split(inputs, targets, samples, seed)


def _checkers(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    inputs = random.uniform(-1.5, 1.5, (samples + VALIDATION, 2))
    black = np.floor(inputs + 1.5).sum(1) % 2
    inputs += 0.04 * random.standard_normal(inputs.shape)
    return split(inputs, black.astype(np.int64), samples, seed)


def _hastie(samples: int, seed: int) -> Split:
    inputs, targets = make_hastie_10_2(samples + VALIDATION, random_state=seed)
    return split(inputs, (targets > 0).astype(np.int64), samples, seed)


def _circuit(samples: int, seed: int) -> Split:
    inputs, targets = make_friedman2(samples + VALIDATION, noise=40.0, random_state=seed)
    return split(_standard(inputs), _standard(targets)[:, None], samples, seed)


def _swiss(samples: int, seed: int) -> Split:
    inputs, along = make_swiss_roll(samples + VALIDATION, noise=0.3, random_state=seed)
    return split(_standard(inputs), _standard(along)[:, None], samples, seed)


def _pairs(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    middles = 1.2 * random.standard_normal((GROUPS, PAIR_FEATURES))
    count = samples + VALIDATION
    first = random.integers(GROUPS, size=count)
    same = random.random(count) < 0.5
    other = (first + random.integers(1, GROUPS, size=count)) % GROUPS
    members = np.stack([first, np.where(same, first, other)], 1)
    inputs = middles[members] + 0.6 * random.standard_normal((count, 2, PAIR_FEATURES))
    return split(inputs, same.astype(np.float32)[:, None], samples, seed)


def _spread(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    width = random.uniform(0.3, 2.0, (count, 1, 1))
    bags = random.standard_normal((count, 1, 2)) + width * random.standard_normal((count, BAG, 2))
    target = np.log(bags.std(1).mean(1))
    return split(bags, _standard(target)[:, None], samples, seed)


def _colours(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    middles = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 1.2
    favourite = random.integers(COLOURS, size=samples + VALIDATION)
    colour = random.integers(COLOURS, size=(len(favourite), BAG))
    colour = np.where(random.random(colour.shape) < 0.5, favourite[:, None], colour)
    counts = np.stack([(colour == one).sum(1) for one in range(COLOURS)], 1)
    bags = middles[colour] + 0.4 * random.standard_normal((*colour.shape, 3))
    return split(bags, counts.argmax(1), samples, seed)
