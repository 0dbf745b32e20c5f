"""The file that a run is recorded in: one batch, one transaction."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from paramedic.trace import database, thinning
from paramedic.trace.backlog import Batch, Row
from paramedic.trace.codec import Beat, Layout, Signature, encode_pulse, pulse_row, signature
from paramedic.trace.schema import CHUNK, checksum, frame_checksum
from paramedic.types import Frame

_log = logging.getLogger("paramedic")

_FRAME = "INSERT INTO frames(step, level, layout, crc, data) VALUES (?, ?, ?, ?, ?)"
_PER_SLICE = 2**17  # bytes that are written while one slice, of eight times as many, is thinned
_LAYOUT = "INSERT INTO layouts(id, crc, data) VALUES (?, ?, ?)"
_PULSE = "INSERT INTO pulses(first_step, last_step, crc, data) VALUES (?, ?, ?, ?)"


class Packed(NamedTuple):
    """A batch as rows, which can be written again if it fails."""

    layouts: list[tuple[Any, ...]]
    frames: list[tuple[Any, ...]]
    pulses: list[tuple[Any, ...]]
    rows: list[Row]


class Recording:
    """A new trace, used by one thread at a time; what goes wrong is raised."""

    def __init__(self, path: Path, size_limit: int) -> None:
        self._path, self._size_limit = path, size_limit
        self._db = database.create(path)
        self._identity = os.stat(path)
        self._layouts: dict[Signature, tuple[int, Layout]] = {}
        self._unmeasured = 0  # bytes written since the size was last looked at
        self._fresh = 0  # bytes of the last commit
        self._thinning: Iterator[None] | None = None  # under way, a slice per commit

    def pack(self, batch: Batch) -> Packed:
        """The rows of a batch; what is no frame, or no heartbeat, is a `ValueError`."""
        known = len(self._layouts)
        frames = [row for frame in batch.frames if (row := self._frame(frame)) is not None]
        layouts = [_layout_row(*entry) for entry in list(self._layouts.values())[known:]]
        chunks = range(0, len(batch.beats), CHUNK)
        pulses = [_pulse(batch.beats[start : start + CHUNK]) for start in chunks]
        return Packed(layouts, frames, pulses, batch.rows)

    def _frame(self, frame: Frame) -> tuple[Any, ...] | None:
        key = signature(frame)
        number, layout = self._layouts.get(key) or self._learn(key)
        try:
            blob = layout.encode(frame)
        except ValueError as error:
            _log.warning("The frame of step %s is not recorded: %s", frame.step, error)
            return None
        step, level = int(frame.step), frame.level
        return step, level, number, frame_checksum(blob, step, level, number), blob

    def _learn(self, key: Signature) -> tuple[int, Layout]:
        entry = (len(self._layouts) + 1, Layout(*key))
        self._layouts[key] = entry
        return entry

    def write(self, packed: Packed) -> None:
        """Commits the rows, all or none."""
        if not os.path.samestat(os.stat(self._path), self._identity):
            raise FileNotFoundError("another file has taken its place")
        db = self._db
        with db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(_LAYOUT, packed.layouts)
            db.executemany(_FRAME, packed.frames)
            db.executemany(_PULSE, packed.pulses)
            for statement, values in packed.rows:
                db.execute(statement, values)
        self._fresh = sum(len(row[-1]) for row in (*packed.frames, *packed.pulses))
        self._fresh += sum(len(str(values)) for _, values in packed.rows)
        self._unmeasured += self._fresh

    def stay_small(self) -> None:
        """The next slices of thinning, as many as keep pace with what is written, if the file is
        too large; another time if it is locked."""
        try:
            if self._thinning is None and self._unmeasured * 64 > self._size_limit:
                self._unmeasured = 0
                if thinning.used_bytes(self._db) > self._size_limit:
                    self._thinning = thinning.thin(self._db, self._size_limit)
            for _ in range(1 + self._fresh // _PER_SLICE):
                if self._thinning is not None and next(self._thinning, True):
                    self._thinning = None
        except sqlite3.OperationalError:
            self._thinning = None

    def finish(self) -> None:
        """Close the file."""
        database.finish(self._db)

    def abandon(self) -> None:
        """Close the file as it is."""
        self._db.close()


def _pulse(beats: list[Beat]) -> tuple[int, int, int, bytes]:
    return pulse_row(encode_pulse(beats))


def _layout_row(number: int, layout: Layout) -> tuple[int, int, str]:
    names = {"scalars": layout.scalars, "layers": layout.layers, "width": layout.width}
    text = json.dumps(names)
    return number, checksum(text), text
