"""Moments of many vectors at once: one row per layer, merged over chunks, tensors and ranks.

A row holds the count, the mean and the second to fourth central sums of its values, so that two
halves of a layer can be merged exactly (Chan et al. 1979, Pébay 2008) wherever they were read.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(slots=True)
class Moments:
    """Sums over the finite values of each row; `bad` counts the values that were not finite."""

    count: Array
    bad: Array
    zero: Array
    absolute: Array
    mean: Array
    m2: Array
    m3: Array
    m4: Array
    low: Array
    high: Array

    @classmethod
    def empty(cls, rows: int) -> Moments:
        """`rows` rows without a value."""
        table = np.zeros((len(fields(cls)), rows))
        table[-2], table[-1] = np.inf, -np.inf
        return cls(*table)

    def table(self) -> Array:
        """All fields as one array, for a single transfer between ranks."""
        return np.stack([getattr(self, field.name) for field in fields(self)])

    @classmethod
    def from_table(cls, table: Array) -> Moments:
        return cls(*np.asarray(table, np.float64))


def segment_moments(x: NDArray[np.float32], starts: NDArray[np.intp]) -> Moments:
    """The moments of the segments of `x` that begin at `starts`; `x` must be finite.

    Each segment is shifted and scaled to about [-1, 1] first: powers of a gradient of 1e-12
    vanish in float32, and a variance far below the mean drowns.
    """
    lengths = np.diff(starts, append=len(x))
    low, high = np.minimum.reduceat(x, starts), np.maximum.reduceat(x, starts)
    half = np.float32(0.5)  # halved before they meet: their difference may not fit a float32
    centre = half * low + half * high
    scale = np.maximum(half * high - half * low, np.float32(1e-38))
    z = x - np.repeat(centre, lengths)
    z /= np.repeat(scale, lengths)
    z2 = z * z
    sums = [np.add.reduceat(power, starts).astype(np.float64) for power in (z, z2, z2 * z, z2 * z2)]
    n = lengths.astype(np.float64)
    central = _central(n, *sums)
    wide = scale.astype(np.float64)
    with np.errstate(over="ignore"):
        absolute = np.add.reduceat(np.abs(x), starts).astype(np.float64)
    if not np.isfinite(absolute).all():
        absolute = np.add.reduceat(np.abs(x, dtype=np.float64), starts)
    return Moments(
        count=n,
        bad=np.zeros(len(n)),
        zero=np.add.reduceat((x == 0).view(np.int8), starts, dtype=np.float64),
        absolute=absolute,
        mean=centre + wide * sums[0] / n,
        m2=central[0] * wide**2,
        m3=central[1] * wide**3,
        m4=central[2] * wide**4,
        low=low.astype(np.float64),
        high=high.astype(np.float64),
    )


def _central(n: Array, s1: Array, s2: Array, s3: Array, s4: Array) -> tuple[Array, Array, Array]:
    """Sums of powers about the mean, from sums of powers about another point."""
    mean = s1 / n
    m2 = np.maximum(s2 - n * mean**2, 0.0)
    m3 = s3 - 3 * mean * s2 + 2 * n * mean**3
    m4 = np.maximum(s4 - 4 * mean * s3 + 6 * mean**2 * s2 - 3 * n * mean**4, 0.0)
    return m2, m3, m4


def merge(a: Moments, b: Moments) -> Moments:
    """The moments of both sets of values together, row by row."""
    n = a.count + b.count
    safe = np.maximum(n, 1.0)
    delta = np.where((a.count > 0) & (b.count > 0), b.mean - a.mean, 0.0)
    part = a.count * b.count / safe
    mean = np.where(a.count > 0, a.mean + delta * b.count / safe, b.mean)
    m3 = part * (a.count - b.count) / safe * delta**3
    m3 += 3 * delta * (a.count * b.m2 - b.count * a.m2) / safe
    m4 = part * (a.count**2 - a.count * b.count + b.count**2) / safe**2 * delta**4
    m4 += 6 * delta**2 * (a.count**2 * b.m2 + b.count**2 * a.m2) / safe**2
    m4 += 4 * delta * (a.count * b.m3 - b.count * a.m3) / safe
    return Moments(
        count=n,
        bad=a.bad + b.bad,
        zero=a.zero + b.zero,
        absolute=a.absolute + b.absolute,
        mean=mean,
        m2=a.m2 + b.m2 + delta**2 * part,
        m3=a.m3 + b.m3 + m3,
        m4=a.m4 + b.m4 + m4,
        low=np.minimum(a.low, b.low),
        high=np.maximum(a.high, b.high),
    )


def with_zeros(moments: Moments, zeros: Array) -> Moments:
    """The same rows with `zeros` further values of zero: what a sparse tensor does not store."""
    absent = Moments.empty(len(zeros))
    absent.count, absent.zero = zeros.copy(), zeros.copy()
    absent.low, absent.high = np.where(zeros > 0, 0.0, np.inf), np.where(zeros > 0, 0.0, -np.inf)
    return merge(moments, absent)
