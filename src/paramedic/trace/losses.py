"""The losses of every step of a run, condensed so that memory does not grow with its length.

Stretches of equal length are kept as one number each. When there are too many, three neighbours
become one by their median (Rousseeuw and Bassett's remedian, 1990), which a few outliers do not
move, however long the run is.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paramedic.types import Losses, Pulse

_FIRST = 32  # losses that are kept as they were
_MERGED = 3  # neighbours that become one
_MOST = 3**6  # stretches
_FOLD = 243  # losses after which they are condensed

Floats = NDArray[np.float64]


class LossHistory:
    """Takes a loss per step and condenses them from time to time: adding one costs an append."""

    def __init__(self) -> None:
        self._first: list[float] = []
        self._fresh: list[float] = []  # NaN: not seen; infinite: not finite
        self._levels = np.empty(0)
        self._bad = np.empty(0)
        self._width = 1
        self._steps = 0
        self._condensed: Losses | None = None

    def add(self, loss: float, finite: bool, skipped: bool) -> None:
        """The loss of the next step. One that was skipped says nothing about the model."""
        if skipped:
            return
        self._fresh.append(loss if finite else math.inf)
        self._steps += 1
        self._condensed = None
        if len(self._fresh) > _FOLD + self._width:
            self._fold()

    def extend(self, pulse: Pulse) -> None:
        """The losses of many steps."""
        columns = (pulse.loss, pulse.finite, pulse.skipped)
        for loss, finite, skipped in zip(*(column.tolist() for column in columns), strict=True):
            self.add(loss, finite, skipped)

    def amend(self, loss: float, finite: bool) -> None:
        """Another loss for the newest step."""
        if self._fresh:
            self._fresh[-1] = loss if finite else math.inf
            self._condensed = None

    def condensed(self) -> Losses:
        """All losses so far."""
        if self._condensed is None:
            levels, bad = _stretches(np.array(self._fresh), self._width)
            first = np.array((self._first + self._fresh)[:_FIRST])
            self._condensed = Losses(
                first,
                np.concatenate([self._levels, levels]),
                np.concatenate([self._bad, bad]),
                self._width,
                self._steps,
            )
        return self._condensed

    def _fold(self) -> None:
        """Condense all whole stretches but the newest loss, which may still be amended."""
        self._first = (self._first + self._fresh)[:_FIRST]
        count = (len(self._fresh) - 1) // self._width * self._width
        levels, bad = _stretches(np.array(self._fresh[:count]), self._width)
        self._fresh = self._fresh[count:]
        self._levels = np.concatenate([self._levels, levels])
        self._bad = np.concatenate([self._bad, bad])
        while len(self._levels) > _MOST:
            self._merge()

    def _merge(self) -> None:
        count = len(self._levels) // _MERGED * _MERGED
        rest = self._levels[count:], self._bad[count:]
        self._levels = _medians(self._levels[:count].reshape(-1, _MERGED))
        self._bad = self._bad[:count].reshape(-1, _MERGED).mean(axis=1)
        # What is left over is shorter than a stretch now: it goes back to the fresh ones.
        returned = np.repeat(np.where(rest[1] > 0.5, np.inf, rest[0]), self._width).tolist()
        self._fresh = returned + self._fresh
        self._width *= _MERGED


def _stretches(losses: Floats, width: int) -> tuple[Floats, Floats]:
    """Typical loss and fraction of non-finite ones of each stretch; the last may be shorter."""
    if not len(losses):
        return np.empty(0), np.empty(0)
    if width == 1:
        bad = np.isinf(losses)
        return np.where(bad, np.nan, losses), bad.astype(np.float64)
    padded = np.append(losses, np.full(-len(losses) % width, np.nan)).reshape(-1, width)
    bad = np.isinf(padded)
    counts = np.maximum((~np.isnan(padded)).sum(axis=1), 1)
    return _medians(np.where(bad, np.nan, padded)), bad.sum(axis=1) / counts


def _medians(table: Floats) -> Floats:
    """The median of each row, of what is known of it."""
    if not np.isnan(table).any():
        return np.asarray(np.median(table, axis=1))  # many times faster than the careful one
    known = ~np.isnan(table).all(axis=1)
    found = np.full(len(table), np.nan)
    if known.any():
        found[known] = np.nanmedian(table[known], axis=1)
    return found
