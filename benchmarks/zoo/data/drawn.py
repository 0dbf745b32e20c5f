"""Pictures that are drawn: shapes somewhere in the noise, and stripes of six directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .source import VALIDATION, Source, Split, split

SHAPES = 4
DIRECTIONS = 6


def shapes(samples: int = 960) -> Source:
    """16 by 16 pictures of a disc, a ring, a square or a cross, one channel."""
    return Source("shapes", samples, _shapes)


def stripes(samples: int = 960) -> Source:
    """12 by 12 pictures of stripes of any phase; the class is their direction."""
    return Source("stripes", samples, _stripes)


def _shapes(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    kinds = random.integers(SHAPES, size=samples + VALIDATION)
    pictures = np.stack([draw_shape(kind, random) for kind in kinds])
    pictures += 0.25 * random.standard_normal(pictures.shape)
    pictures = (pictures - pictures.mean()) / pictures.std()
    return split(pictures[:, None], kinds, samples, seed)


def draw_shape(kind: int, random: np.random.Generator) -> NDArray[np.floating]:
    """One picture, 1 inside the shape and 0 outside."""
    row, column = np.mgrid[:16, :16]
    size = random.uniform(3.0, 4.5)
    middle = random.uniform(5.5, 9.5, 2)
    high, wide = abs(row - middle[0]), abs(column - middle[1])
    distance = np.hypot(high, wide)
    inside = (
        distance < size,
        (distance < size) & (distance > size - 1.8),
        np.maximum(high, wide) < 0.9 * size,
        (np.minimum(high, wide) < 1.0) & (np.maximum(high, wide) < size),
    )
    return inside[kind].astype(float)


def _stripes(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    directions = random.integers(DIRECTIONS, size=samples + VALIDATION)
    angle = np.pi * directions / DIRECTIONS + 0.08 * random.standard_normal(len(directions))
    phase = random.uniform(0, 2 * np.pi, len(directions))
    row, column = np.mgrid[:12, :12]
    along = np.multiply.outer(np.cos(angle), row) + np.multiply.outer(np.sin(angle), column)
    pictures = np.sin(1.3 * along + phase[:, None, None])
    pictures += 0.5 * random.standard_normal(pictures.shape)
    return split(pictures[:, None], directions, samples, seed)
