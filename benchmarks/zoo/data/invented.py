"""Data of the seventh filling: orbits, walks, towers, loans, a mixture of liquids."""

from __future__ import annotations

import numpy as np

from .source import VALIDATION, Source, Split, split

TURNS = 16  # moments of an orbit that are seen
STRIDES = 12  # of a walk
MOVES = 4
QUARTERS = 4  # of the plane, in which a walk may end
TOWERS = 4
LOAN_FEATURES = 9
LIQUIDS = 5


def orbits(samples: int = 960) -> Source:
    """Noisy places of something that goes round: how fast does it turn?"""
    return Source("orbits", samples, _orbits)


def walks(samples: int = 1280) -> Source:
    """Steps to the north, east, south and west: in which quarter does the walk end?"""
    return Source("walks", samples, _walks)


def towers(samples: int = 960) -> Source:
    """12 by 12 pictures of four towers in noise: which is the highest?"""
    return Source("towers", samples, _towers)


def loans(samples: int = 1920) -> Source:
    """Nine features of who asked for a loan: is it paid back? Some of it is chance."""
    return Source("loans", samples, _loans)


def liquids(samples: int = 960) -> Source:
    """The shares of five liquids that are mixed: how thick is the mixture?"""
    return Source("liquids", samples, _liquids)


def _orbits(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    speed = random.uniform(-1, 1, (count, 1))
    angle = random.uniform(0, 2 * np.pi, (count, 1)) + speed * np.arange(TURNS)
    places = random.uniform(0.7, 1.3, (count, 1, 1)) * np.stack([np.cos(angle), np.sin(angle)], 2)
    places += 0.1 * random.standard_normal(places.shape)
    return split(places, speed / speed.std(), samples, seed)


def _walks(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    moves = random.integers(MOVES, size=(samples + VALIDATION, STRIDES))
    north = (moves == 0).sum(1) - (moves == 2).sum(1)
    east = (moves == 1).sum(1) - (moves == 3).sum(1)
    return split(moves, 2 * (north > 0) + (east > 0), samples, seed)


def _towers(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    heights = np.stack([random.permutation([3, 5, 7, 10]) for _ in range(count)])
    pictures = 0.4 * random.standard_normal((count, 12, 12))
    rows = np.arange(12)[None, :, None]
    for tower in range(TOWERS):
        built = rows >= 12 - heights[:, tower, None, None]
        pictures[:, :, 3 * tower : 3 * tower + 2] += built
    pictures = (pictures - pictures.mean()) / pictures.std()
    return split(pictures[:, None], heights.argmax(1), samples, seed)


def _loans(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, LOAN_FEATURES))
    trust = 1.5 * x[:, 0] - 2 * np.maximum(x[:, 1], 0) + x[:, 2] * x[:, 3] + np.sin(2 * x[:, 4])
    chance = 1 / (1 + np.exp(-2 * (trust + 0.5)))
    return split(x, (random.random(len(x)) < chance).astype(np.float32)[:, None], samples, seed)


def _liquids(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.ones(LIQUIDS), samples + VALIDATION)
    own = np.array([1.0, -1.0, 2.0, 0.0, -2.0])
    thick = shares @ own + 6 * shares[:, 0] * shares[:, 1] - 5 * shares[:, 2] * shares[:, 3]
    thick = (thick - thick.mean()) / thick.std() + 0.05 * random.standard_normal(len(thick))
    inputs = (shares - shares.mean(0)) / shares.std(0)
    return split(inputs, thick[:, None], samples, seed)
