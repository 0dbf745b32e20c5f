"""More sequences and pictures: kinds of signals, two numbers to add, a dot that moves, masks."""

from __future__ import annotations

import numpy as np

from .drawn import SHAPES, draw_shape
from .source import VALIDATION, Source, Split, split

MOMENTS = 24  # of a signal
SIGNALS = 4
TERMS = 14  # numbers of which two are marked
FRAMES = 5
SIDE = 8  # of a frame
WAYS = 4  # a dot can move


def signals(samples: int = 1280) -> Source:
    """A sine, a square, a saw or a triangle of any frequency and phase, with noise: which?"""
    return Source("signals", samples, _signals)


def adding(samples: int = 1280) -> Source:
    """Numbers of which two are marked; the target is their sum."""
    return Source("adding", samples, _adding)


def motion(samples: int = 960) -> Source:
    """Five frames of a dot in noise, as [N, frames, 8, 8]: which way does it move?"""
    return Source("motion", samples, _motion)


def masks(samples: int = 640) -> Source:
    """16 by 16 pictures of shapes in noise; the target says of every pixel if it is inside."""
    return Source("masks", samples, _masks)


def _signals(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    kinds = random.integers(SIGNALS, size=count)
    period = random.uniform(8, 14, (count, 1))
    place = (np.arange(MOMENTS) / period + random.random((count, 1))) % 1.0
    forms = np.stack(
        [
            np.sqrt(2) * np.sin(2 * np.pi * place),
            np.where(place < 0.5, 1.0, -1.0),
            np.sqrt(3) * (2 * place - 1),
            np.sqrt(3) * (4 * abs(place - 0.5) - 1),
        ]
    )
    series = forms[kinds, np.arange(count)] + 0.15 * random.standard_normal((count, MOMENTS))
    return split(series[:, :, None], kinds, samples, seed)


def _adding(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    numbers = random.uniform(-1, 1, (count, TERMS))
    marks = np.zeros((count, TERMS))
    for row in marks:
        row[random.choice(TERMS, 2, replace=False)] = 1.0
    target = (numbers * marks).sum(1, keepdims=True) / np.sqrt(2 / 3)
    return split(np.stack([numbers, marks], 2), target, samples, seed)


def _motion(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    ways = random.integers(WAYS, size=count)
    steps = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])[ways]
    start = random.integers(SIDE, size=(count, 2))
    frames = 0.2 * random.standard_normal((count, FRAMES, SIDE, SIDE))
    for frame in range(FRAMES):
        row, column = ((start + frame * steps) % SIDE).T
        frames[np.arange(count), frame, row, column] += 4.0
    return split(frames, ways, samples, seed)


def _masks(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    kinds = random.integers(SHAPES, size=samples + VALIDATION)
    inside = np.stack([draw_shape(kind, random) for kind in kinds])[:, None]
    pictures = 2 * inside + 0.7 * random.standard_normal(inside.shape)
    pictures = (pictures - pictures.mean()) / pictures.std()
    return split(pictures, inside.astype(np.float32), samples, seed)
