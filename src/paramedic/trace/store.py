"""The writing end of a trace."""

from __future__ import annotations

import atexit
import json
import logging
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from paramedic.trace import database
from paramedic.trace.backlog import Backlog, Row
from paramedic.trace.codec import Beat
from paramedic.trace.recording import Recording
from paramedic.trace.schema import CHUNK, checksum
from paramedic.trace.scribe import Scribe
from paramedic.types import Chart, Epoch, Event, Frame
from paramedic.vocabulary import INTERNAL

_log = logging.getLogger("paramedic")

PATIENCE = 0.03  # seconds that a training waits at most for what it records
_FORK_PATIENCE = 0.05
_META = "INSERT OR REPLACE INTO meta(key, crc, data) VALUES (?, ?, ?)"


class Writer:
    """Records one run in one SQLite file, and never stands in the way of the training.

    Frames and heartbeats are collected and committed together, by a thread beside the training:
    every `batch` frames, or when a frame arrives more than `max_age` seconds after the last
    commit, or after 512 heartbeats. A killed process loses at most what was collected since.
    Epochs, events, the chart and `meta` are committed at once, with what was collected before
    them; a training waits for that at most `PATIENCE` seconds. `flush`, `close` and the end of the
    program write everything.

    The newest frame and heartbeat wait for their successor, so that `amend_loss` can still
    correct them; `epoch`, `flush` and `close` write them too, and they are final then.

    Above `size_limit` bytes frames and heartbeats are thinned (see `thinning`).

    No method raises because of the disk. While the disk is full or the file locked, what comes is
    kept, as far as there is room, and written later; beyond that an even share is left out. When
    the file cannot be created, disappears or is damaged, all later calls do nothing. `failure`
    says any of this in one sentence, and a warning is logged. In a forked child (a worker of a
    `DataLoader`) the methods do nothing either: a SQLite connection must not be used on both sides
    of a fork.
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
        self.last_words: Callable[[], None] | None = None  # before the program ends without `close`
        self._failure: str | None = None
        self._batch, self._max_age = batch, max_age
        self._frames: list[Frame] = []
        self._beats: list[Beat] = []
        self._backlog = Backlog()
        self._scribe: Scribe | None = None
        self._saved = time.monotonic()
        self._pid = os.getpid()
        self._is_behind = False  # an earlier row is not written yet
        self._lock = threading.Lock()
        try:
            recording = Recording(self.path, size_limit)
        except (sqlite3.Error, OSError, ValueError) as error:
            reason = database.explain(error)
            self._failure = f"The trace `{self.path}` is not recorded any further: {reason}."
            _log.warning(self._failure)
        else:
            self._scribe = Scribe(self.path, recording, self._backlog)
            _open.add(self)

    @property
    def failure(self) -> str | None:
        """What is not recorded, and why; None if everything is."""
        if self._scribe is not None and (self._scribe.end or self._scribe.trouble):
            return self._scribe.end or self._scribe.trouble
        left_out = ", ".join(f"{count} {what}" for what, count in self._backlog.left_out.items())
        if self._failure is None and left_out:
            return f"The trace `{self.path}` is without {left_out}: the disk was not available."
        return self._failure

    def pulse(self, step: int, loss: float, finite: bool, skipped: bool) -> None:
        """Records the heartbeat of a step; called at every step, so it only appends."""
        self._beats.append((step, loss, finite, skipped))
        if len(self._beats) > CHUNK:
            self._hand_over(keep=1)

    def frame(self, frame: Frame) -> None:
        """Records a frame, whose arrays must have one value per layer each and stay as they are."""
        if self._scribe is None or os.getpid() != self._pid:
            return
        self._frames.append(frame)
        if len(self._frames) > self._batch or time.monotonic() - self._saved > self._max_age:
            self._hand_over(keep=1)

    def amend_loss(self, loss: float, finite: bool) -> None:
        """Corrects the loss of the newest heartbeat, and of the newest frame if it is the same
        step. Without effect when these have been written by `epoch`, `flush` or `close`."""
        if not self._beats:
            return
        step, _, _, skipped = self._beats[-1]
        self._beats[-1] = (step, loss, finite, skipped)
        if self._frames and self._frames[-1].step == step:
            newest = self._frames[-1]
            values = {"loss": loss, "loss_finite": float(finite)}
            known = {name: value for name, value in values.items() if name in newest.scalars}
            self._frames[-1] = replace(newest, scalars={**newest.scalars, **known})

    def epoch(self, epoch: Epoch) -> None:
        """Records the numbers of an epoch, after everything before them."""
        values = {str(name): float(value) for name, value in epoch.values.items()}
        self._record("epochs", int(epoch.step), {**epoch.to_json(), "values": values}, keep=0)

    def event(self, event: Event) -> None:
        """Records an event."""
        self._record("events", int(event.step), event.to_json(), keep=1)

    def _record(self, table: str, step: int, data: Any, keep: int) -> None:
        text = _json(data)
        statement = f"INSERT INTO {table}(step, crc, data) VALUES (?, ?, ?)"
        self._commit(keep, None, (statement, (step, checksum(text, step), text)))

    def chart(self, chart: Chart) -> None:
        """Records the chart, in the place of an earlier one."""
        self.meta("chart", chart.to_json())

    def meta(self, key: str, value: Any) -> None:
        """Records any JSON value under a name, in the place of an earlier one."""
        text = _json(value)
        self._commit(1, key, (_META, (key, checksum(text, key), text)))

    def flush(self) -> None:
        """Writes and commits everything recorded so far, however long that takes."""
        if self._hand_over(keep=0) and self._scribe is not None:
            self._scribe.drain(database.LOCK_SECONDS)

    def close(self) -> None:
        """Writes what is left and closes the file; later calls do nothing."""
        self.flush()
        scribe = self._scribe
        if scribe is None or os.getpid() != self._pid:
            return
        _open.discard(self)
        self._failure = self._last_failure(scribe)
        self._scribe = None
        scribe.close()
        self._drop()

    def _last_failure(self, scribe: Scribe) -> str | None:
        if scribe.end is None and not scribe.is_done:
            lost = f"{scribe.trouble or 'The disk does not answer.'} What came last is lost."
            _log.warning(lost)
            return lost
        return self.failure

    def _commit(self, keep: int, key: str | None, row: Row) -> None:
        """Has everything written now, but waits only for a disk that is available."""
        if not self._hand_over(keep, key, row) or self._scribe is None:
            return
        if self._is_behind:
            self._is_behind = not self._scribe.is_done
        else:
            self._is_behind = not self._scribe.wait(PATIENCE)

    def _hand_over(self, keep: int, key: str | None = None, row: Row | None = None) -> bool:
        """Leaves all but the newest `keep` frames and heartbeats, and one more row if given, to
        the thread that writes; a key if the row takes the place of an earlier one."""
        if os.getpid() != self._pid:  # before the lock: its owner may not exist in this process
            self._drop()
            return False
        with self._lock:
            if self._scribe is None or self._scribe.end is not None:
                self._drop()
                return False
            frames, beats = _take(self._frames, keep), _take(self._beats, keep)
            self._backlog.add(frames, beats, key, row)
            self._saved = time.monotonic()
        self._scribe.wake()
        if self._backlog.is_crowded and not self._scribe.is_stuck:
            self._scribe.wait(PATIENCE)  # the disk is there: whoever writes without pause is slowed
        return True

    def _drop(self) -> None:
        self._frames.clear()
        self._beats.clear()
        if os.getpid() == self._pid:  # its lock may be held for ever in a forked child
            self._backlog.clear()


def _take(waiting: list[Any], keep: int) -> list[Any]:
    """Removes all but the newest `keep` entries; safe while another thread appends."""
    count = max(len(waiting) - keep, 0)
    taken = waiting[:count]
    del waiting[:count]
    return taken


def _json(value: Any) -> str:
    # `default`: an event may carry a path or a dtype; its name is worth more than an error.
    return json.dumps(value, default=str)


# -- the end of the program, and forks -------------------------------------------------------

_open: weakref.WeakSet[Writer] = weakref.WeakSet()


def _ours() -> list[Writer]:
    return [writer for writer in list(_open) if writer._pid == os.getpid()]


def _at_exit() -> None:
    """What was not closed is written."""
    for writer in _ours():
        try:
            if writer.last_words is not None:
                writer.last_words()
        except Exception as error:  # noqa: BLE001 - the program has ended: the rest is worth more
            _log.warning("The last steps of `%s` are not recorded: %s", writer.path, error)
        writer.close()


def _before_fork() -> None:
    _each_scribe(lambda scribe: scribe.pause(_FORK_PATIENCE))


def _after_fork() -> None:
    _each_scribe(lambda scribe: scribe.resume())


def _each_scribe(act: Callable[[Scribe], object]) -> None:
    try:
        for writer in _ours():
            if writer._scribe is not None:
                act(writer._scribe)
    except Exception as error:  # noqa: BLE001 - Python would show it in the middle of the program
        words = "A trace may have a gap after a fork: %s: %s"
        _log.warning(words, type(error).__name__, error, extra={INTERNAL: True})


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):  # only where there is a fork
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork)
