"""The writing end of a trace."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from paramedic.trace import database, thinning
from paramedic.trace.codec import Beat, Layout, Signature, encode_pulse, pulse_row, signature
from paramedic.trace.schema import CHUNK, checksum, frame_checksum
from paramedic.types import Chart, Epoch, Event, Frame

_log = logging.getLogger("paramedic")

# `ValueError` and `TypeError` too: `pulse` is too hot to look at what it is given, so a loss that
# is no number is met only when its chunk is packed, and must not reach the training loop then.
_TROUBLE = (sqlite3.Error, OSError, ValueError, TypeError, OverflowError)


class _Waiting(NamedTuple):
    """A frame on its way to the file."""

    step: int
    level: str
    id: int
    layout: Layout
    blob: bytearray


class Writer:
    """Records one run in one SQLite file, and never stands in the way of the training.

    Frames and heartbeats are collected and committed together: every `batch` frames, or when a
    frame arrives more than `max_age` seconds after the last commit, or after 512 heartbeats. A
    killed process loses at most what was collected since. Epochs, events, the chart and `meta`
    are committed at once, with what was collected before them.

    The newest frame and heartbeat wait for their successor, so that `amend_loss` can still
    correct them; `epoch`, `flush` and `close` write them too, and they are final then.

    Above `size_limit` bytes the older frames are thinned (see `thinning`).

    No method raises because of the disk. When the file cannot be created, the disk is full, the
    file disappears or stays locked, `failure` says so in one sentence, one warning is logged and
    all later calls do nothing. In a forked child (a worker of a `DataLoader`) they do nothing
    either: a SQLite connection must not be used on both sides of a fork.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        size_limit: int = 256 * 2**20,
        batch: int = 32,
        max_age: float = 2.0,
    ) -> None:
        if batch < 1:
            raise ValueError(f"`batch` must be at least 1 but got {batch}.")
        if size_limit < 1:
            raise ValueError(f"`size_limit` must be positive but got {size_limit}.")
        # Absolute: the training script may change its directory.
        self.path = Path(path).absolute()
        self.failure: str | None = None
        self._batch, self._max_age, self._size_limit = batch, max_age, size_limit
        self._fresh: list[Frame] = []  # not packed yet
        self._frames: list[_Waiting] = []
        self._beats: list[Beat] = []
        self._layouts: dict[Signature, tuple[int, Layout]] = {}
        self._new_layouts: list[tuple[int, Layout]] = []
        self._unmeasured = 0  # bytes written since the size was last looked at
        self._thinning: Iterator[None] | None = None  # under way, a slice per commit
        self._saved = time.monotonic()
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        try:
            self._db = database.create(self.path)
            self._identity = os.stat(self.path)
        except _TROUBLE as error:
            self._fail(error)

    def pulse(self, step: int, loss: float, finite: bool, skipped: bool) -> None:
        """Records the heartbeat of a step; called at every step, so it only appends."""
        self._beats.append((step, loss, finite, skipped))
        if len(self._beats) > CHUNK:
            self._save(keep=1)

    def frame(self, frame: Frame) -> None:
        """Records a frame, whose arrays must have one value per layer each and stay as they are.

        It is packed later, together with others: between two steps of a training all caches are
        cold, and each of them would pay for that.
        """
        if self.failure is not None or os.getpid() != self._pid:
            return
        self._fresh.append(frame)
        waiting = len(self._fresh) + len(self._frames)
        if waiting > self._batch or time.monotonic() - self._saved > self._max_age:
            self._save(keep=1)

    def _pack(self) -> None:
        for frame in _take(self._fresh, 0):
            key = signature(frame)
            number, layout = self._layouts.get(key) or self._learn(key)
            try:
                blob = layout.encode(frame)
            except ValueError as error:
                _log.warning("The frame of step %s is not recorded: %s", frame.step, error)
                continue
            self._frames.append(_Waiting(int(frame.step), frame.level, number, layout, blob))

    def amend_loss(self, loss: float, finite: bool) -> None:
        """Corrects the loss of the newest heartbeat, and of the newest frame if it is the same
        step. Without effect when these have been written by `epoch`, `flush` or `close`."""
        if not self._beats:
            return
        step, _, _, skipped = self._beats[-1]
        self._beats[-1] = (step, loss, finite, skipped)
        with self._lock:
            self._pack()
            if self._frames and self._frames[-1].step == step:
                newest = self._frames[-1]
                newest.layout.amend(newest.blob, loss, finite)

    def epoch(self, epoch: Epoch) -> None:
        """Records the numbers of an epoch, after everything before them."""
        values = {str(name): float(value) for name, value in epoch.values.items()}
        text = _json({**epoch.to_json(), "values": values})
        row = (int(epoch.step), checksum(text, int(epoch.step)), text)
        self._save(0, "INSERT INTO epochs(step, crc, data) VALUES (?, ?, ?)", row)

    def event(self, event: Event) -> None:
        """Records an event."""
        text = _json(event.to_json())
        row = (int(event.step), checksum(text, int(event.step)), text)
        self._save(1, "INSERT INTO events(step, crc, data) VALUES (?, ?, ?)", row)

    def chart(self, chart: Chart) -> None:
        """Records the chart, in the place of an earlier one."""
        self.meta("chart", chart.to_json())

    def meta(self, key: str, value: Any) -> None:
        """Records any JSON value under a name, in the place of an earlier one."""
        text = _json(value)
        row = (key, checksum(text, key), text)
        self._save(1, "INSERT OR REPLACE INTO meta(key, crc, data) VALUES (?, ?, ?)", row)

    def flush(self) -> None:
        """Writes and commits everything recorded so far."""
        self._save(keep=0)

    def close(self) -> None:
        """Writes what is left and closes the file; later calls do nothing."""
        self._save(keep=0)
        if os.getpid() != self._pid:
            return
        with self._lock:
            db, self._db = self._db, None
            if db is not None:
                database.finish(db)

    def _learn(self, key: Signature) -> tuple[int, Layout]:
        with self._lock:
            known = self._layouts.get(key)
            if known is not None:  # another thread was faster
                return known
            entry = (len(self._layouts) + 1, Layout(*key))
            self._new_layouts.append(entry)
            self._layouts[key] = entry
        return entry

    def _save(self, keep: int, statement: str = "", row: tuple[object, ...] = ()) -> None:
        """Commits all but the newest `keep` frames and heartbeats, and one more row if given."""
        if os.getpid() != self._pid:  # before the lock: its owner may not exist in this process
            self._drop()
            return
        with self._lock:
            if self._db is None:
                self._drop()
                return
            try:
                self._write(self._db, keep, statement, row)
                self._stay_small(self._db)
            except _TROUBLE as error:
                self._fail(error)

    def _write(
        self, db: sqlite3.Connection, keep: int, statement: str, row: tuple[object, ...]
    ) -> None:
        if not os.path.samestat(os.stat(self.path), self._identity):
            raise FileNotFoundError("another file has taken its place")
        self._pack()
        frames = [
            (step, level, number, frame_checksum(blob, step, level, number), blob)
            for step, level, number, _, blob in _take(self._frames, keep)
        ]
        beats = _take(self._beats, keep)
        layouts = [(number, *_layout_row(layout)) for number, layout in _take(self._new_layouts, 0)]
        pulses = [pulse_row(encode_pulse(beats))] if beats else []
        with db:
            db.execute("BEGIN IMMEDIATE")
            if layouts:
                db.executemany("INSERT INTO layouts(id, crc, data) VALUES (?, ?, ?)", layouts)
            db.executemany(
                "INSERT INTO frames(step, level, layout, crc, data) VALUES (?, ?, ?, ?, ?)", frames
            )
            db.executemany(
                "INSERT INTO pulses(first_step, last_step, crc, data) VALUES (?, ?, ?, ?)", pulses
            )
            if statement:
                db.execute(statement, row)
        self._saved = time.monotonic()
        self._unmeasured += sum(len(row[-1]) for row in frames) + len(str(row))
        self._unmeasured += sum(len(row[-1]) for row in pulses)

    def _stay_small(self, db: sqlite3.Connection) -> None:
        if self._thinning is None and self._unmeasured * 64 > self._size_limit:
            self._unmeasured = 0
            if thinning.used_bytes(db) > self._size_limit:
                self._thinning = thinning.thin(db, self._size_limit)
        if self._thinning is not None and next(self._thinning, True):
            self._thinning = None

    def _drop(self) -> None:
        self._fresh.clear()
        self._frames.clear()
        self._beats.clear()

    def _fail(self, error: Exception) -> None:
        db, self._db = self._db, None
        if db is not None:
            db.close()
        reason = database.explain(error)
        self.failure = f"The trace `{self.path}` is not recorded any further: {reason}."
        _log.warning(self.failure)


def _take(waiting: list[Any], keep: int) -> list[Any]:
    """Removes all but the newest `keep` entries; safe while another thread appends."""
    count = max(len(waiting) - keep, 0)
    taken = waiting[:count]
    del waiting[:count]
    return taken


def _layout_row(layout: Layout) -> tuple[int, str]:
    names = {"scalars": layout.scalars, "layers": layout.layers, "width": layout.width}
    text = _json(names)
    return checksum(text), text


def _json(value: Any) -> str:
    # `default`: an event may carry a path or a dtype; its name is worth more than an error.
    return json.dumps(value, default=str)
