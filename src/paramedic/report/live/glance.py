"""What the list shows of a trace, read from a bounded part of it: a folder may hold a thousand, and
any of them may be a stranger's.
"""

from __future__ import annotations

import math
import sqlite3
import time
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.report.live.runs import Place, Stamp
from paramedic.trace import Trace, TraceError

POINTS = 48  # of a small curve: of a long run as many rows of losses are read
_STRETCH = 16  # steps of which a point is the mean
_LONGEST_ROW = 2**16  # bytes; a row of losses has 9 kB
_LONGEST_NOTE = 2**22  # bytes of what the monitor has noted; of a net of 10,000 layers some 500 kB
_LONGEST_LOG = 2**28  # bytes of a log, which SQLite may have to read as a whole; usual are 4 MB
_SECONDS = 0.3  # for one trace
_OPERATIONS = 1000  # of SQLite between two looks at the clock
_SELECT = "SELECT id, first_step, last_step, crc, data FROM pulses "


def glance(place: Place, stamp: Stamp) -> Glance:
    """A trace that is opened for its line in the list."""
    if stamp.log_size > _LONGEST_LOG:
        size = f"{stamp.log_size / 2**20:.0f} MB"
        raise TraceError(place.path, f"has a log of {size}, too large for the list: open it.")
    return Glance.open(place.path)


class Glance(Trace):
    """A trace of which a few pages are read, however large it is: its head, what its monitor noted
    last, its newest losses, and some rows of losses in between."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        super().__init__(path, db)
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ROW)
        end = time.monotonic() + _SECONDS
        db.set_progress_handler(lambda: time.monotonic() > end, _OPERATIONS)

    def meta(self, key: str, default: Any = None) -> Any:
        """As any trace does it, of values that are not too long."""
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_NOTE)
        try:
            return super().meta(key, default)
        finally:
            self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ROW)

    @property
    def newest_step(self) -> int:
        """The newest step of which anything is known, or -1."""
        frames = self._query("SELECT max(step) FROM frames")[0][0]
        steps = [row[2] for row in self._newest_row] + ([] if frames is None else [frames])
        return max(map(self._integer, steps), default=-1)

    @property
    def newest_loss(self) -> float | None:
        """None if there is none, or none that is a number."""
        rows = self._newest_row
        return _finite(float(self._beats(rows[0])["loss"][-1])) if rows else None

    def curve(self) -> tuple[float | None, ...]:
        """The mean loss of some stretches spread over the run."""
        numbers = self._query("SELECT (SELECT min(id) FROM pulses), (SELECT max(id) FROM pulses)")
        first, last = numbers[0]
        if first is None:
            return ()
        if last - first < POINTS:
            rows = self._query(_SELECT + "WHERE id >= ? ORDER BY id LIMIT ?", first, POINTS)
            return _means(_spread(np.concatenate([self._losses(row) for row in rows])))
        places = np.linspace(first, last, POINTS).astype(int).tolist()
        chunks = [self._losses(self._row_at(place)) for place in places]
        stretches = [chunk[:_STRETCH] for chunk in chunks[:-1]] + [chunks[-1][-_STRETCH:]]
        table = np.full((POINTS, _STRETCH), np.nan)
        for line, stretch in zip(table, stretches, strict=True):
            line[: len(stretch)] = stretch
        return _means(table)

    def _losses(self, row: tuple[Any, ...]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self._beats(row)["loss"]
        return found

    @cached_property
    def _newest_row(self) -> list[tuple[Any, ...]]:
        return self._query(_SELECT + "ORDER BY id DESC LIMIT 1")

    def _row_at(self, number: int) -> tuple[Any, ...]:
        """The row of this number, or the next one that is there."""
        return self._query(_SELECT + "WHERE id >= ? ORDER BY id LIMIT 1", number)[0]


def _spread(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Stretches, a row each, of a run that was read as a whole."""
    count = min(POINTS, (len(losses) - 1) // _STRETCH + 1)
    starts = np.linspace(0, max(len(losses) - _STRETCH, 0), count).round().astype(int)
    places = starts[:, np.newaxis] + np.arange(min(_STRETCH, len(losses)))
    return losses[places]


def _means(table: NDArray[np.float64]) -> tuple[float | None, ...]:
    """Of each row, over the losses that are numbers."""
    known = np.isfinite(table)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        means = np.where(known, table, 0.0).sum(1) / known.sum(1)
    return tuple(map(_finite, means.tolist()))


def _finite(value: float) -> float | None:
    """Six digits of it; JSON has no infinity."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
