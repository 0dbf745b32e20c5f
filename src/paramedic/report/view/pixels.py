"""Many numbers to few pixels, such that no spike is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64] | NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Envelope:
    """A curve in at most so many points: the mean of each, and the least and the largest value.

    `low` and `high` are empty where every point is a single value. NaN is a gap.
    """

    steps: NDArray[np.int64]
    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def bins(steps: NDArray[np.int64], width: int) -> NDArray[np.intp]:
    """Where each of at most `width` even stretches of steps begins; `steps` must not fall.

    Stretches without a step are left out. With no more steps than pixels each has its own.
    """
    if width < 1:
        raise ValueError(f"`width` must be at least 1 pixel but got {width}.")
    if len(steps) <= width:
        return np.arange(len(steps))
    edges = np.linspace(float(steps[0]), float(steps[-1]) + 1.0, width + 1)[:-1]
    found: NDArray[np.intp] = np.unique(np.searchsorted(steps, edges))
    return found[found < len(steps)]


def envelope(steps: NDArray[np.int64], values: NDArray[Any], width: int) -> Envelope:
    """A curve for `width` pixels; values that are not finite are left out."""
    starts = bins(steps, width)
    clean = np.where(np.isfinite(values), values, np.nan).astype(np.float64)
    none = np.empty(0, np.float64)
    if len(starts) == len(steps):
        return Envelope(steps, clean, none, none)
    known = ~np.isnan(clean)
    count = np.add.reduceat(known.astype(np.float64), starts)
    with np.errstate(over="ignore"):
        total = np.add.reduceat(np.where(known, clean, 0.0), starts)
    mean = np.divide(total, count, out=np.full(len(starts), np.nan), where=count > 0)
    low, high = np.fmin.reduceat(clean, starts), np.fmax.reduceat(clean, starts)
    # A sum of huge losses can overflow: the middle of the extremes is a fair stand-in.
    mean = np.where(np.isinf(mean), low / 2 + high / 2, mean)
    return Envelope(steps[starts], mean, low, high)


def largest(rows: NDArray[np.float32], starts: NDArray[np.intp]) -> NDArray[np.float32]:
    """The largest value of each column in each stretch of rows; NaN where there is none."""
    return _reduced(np.fmax, rows, starts)


def typical(rows: NDArray[np.float32], starts: NDArray[np.intp]) -> NDArray[np.float32]:
    """The geometric mean of each column in each stretch of rows; zeros and infinities count only
    where there is nothing else."""
    if len(starts) == len(rows):
        return rows
    usable = np.isfinite(rows) & (rows > 0)
    logs = np.log(rows, out=np.zeros_like(rows), where=usable)
    count = _reduced(np.add, usable.astype(np.float32), starts)
    mean = _reduced(np.add, logs, starts) / np.maximum(count, 1)
    found: NDArray[np.float32] = np.where(count > 0, np.exp(mean), largest(rows, starts))
    return found


def _reduced(
    function: np.ufunc, rows: NDArray[np.float32], starts: NDArray[np.intp]
) -> NDArray[np.float32]:
    if len(starts) == len(rows):
        return rows
    found: NDArray[np.float32] = function.reduceat(rows, starts, axis=0)
    return found


def moments(steps: NDArray[np.int64], happened: NDArray[np.bool_], width: int) -> NDArray[np.int64]:
    """The steps at which something happened: at most one per pixel."""
    found = steps[happened]
    return found[bins(found, width)] if len(found) else found
