"""Carries what was collected to the file, beside the training.

A thread is started when there is something to write and ends when all is written. While the file
is locked, or the disk is full, it tries again and again; what comes meanwhile waits in the
backlog, as far as there is room. No thread is left behind in a fork: the child would have the
locks of SQLite that the thread held, but not the thread.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from pathlib import Path

from paramedic.trace import database
from paramedic.trace.backlog import Backlog
from paramedic.trace.recording import Packed, Recording
from paramedic.vocabulary import INTERNAL

_log = logging.getLogger("paramedic")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0  # seconds between two tries
_SLOW = 0.1  # seconds after which a transaction may take any time
_TELL_AFTER = 1.0  # seconds that the file cannot be written before somebody is told


class Scribe:
    """Writes a backlog into a file; no method raises because of the disk."""

    def __init__(self, path: Path, recording: Recording, backlog: Backlog) -> None:
        self.trouble: str | None = None  # why nothing can be written at present
        self.end: str | None = None  # why nothing will be written any more
        self._path, self._recording, self._backlog = path, recording, backlog
        self._packed: Packed | None = None  # that could not be written yet
        self._begun = float("inf")  # when the transaction under way began
        self._since = 0.0  # when the trouble began
        self._told = False
        self._locked = False
        self._file = threading.Lock()  # held by whoever uses the file
        self._gate = threading.Condition()
        self._thread: threading.Thread | None = None
        self._halt = threading.Event()

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left to write."""
        return self.end is not None or (self._packed is None and not self._backlog)

    @property
    def is_stuck(self) -> bool:
        """Whether waiting for it would be in vain."""
        return self.trouble is not None or time.monotonic() - self._begun > _SLOW

    def wake(self) -> None:
        """There is something to write."""
        with self._gate:
            if self._thread is not None or self._halt.is_set():
                return
            self._thread = threading.Thread(target=self._work, name="paramedic", daemon=True)
            try:
                self._thread.start()
            except RuntimeError:  # the program ends, or may have no more threads: `drain` does it
                self._thread = None

    def wait(self, seconds: float) -> bool:
        """Until everything is written, for so long at most; whether it is."""
        with self._gate:
            return self._gate.wait_for(lambda: self._thread is None, seconds)

    def pause(self, seconds: float) -> bool:
        """End the thread, which may take so long; whether it has ended."""
        self._halt.set()
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        return thread is None or not thread.is_alive()

    def resume(self) -> None:
        """Go on after `pause`."""
        self._halt.clear()
        if not self.is_done:
            self.wake()

    def drain(self, seconds: float) -> bool:
        """Write everything here and now; a lock may last so long. Whether it was possible."""
        end = time.monotonic() + seconds
        if self.pause(seconds):
            while not self.is_done:
                if self._carry():
                    continue
                if not self._locked or time.monotonic() > end:
                    break
                time.sleep(_FIRST_PAUSE)
        self._halt.clear()
        return self.is_done

    def close(self) -> None:
        """Close the file, with what is written."""
        if self.end is None and self._file.acquire(timeout=database.LOCK_SECONDS):
            with self._gate:
                self.end = "it is closed"
            self._recording.finish()
            self._file.release()

    # -- the thread --------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            self._write_all()
        except Exception as error:  # noqa: BLE001 - Python would show it beside the program
            self.end = f"The trace `{self._path}` is not recorded any further: {error!r}."
            _log.warning(self.end, extra={INTERNAL: True})
            with self._gate:
                self._thread = None
                self._gate.notify_all()

    def _write_all(self) -> None:
        pause = _FIRST_PAUSE
        while not self._halt.is_set():
            if not self._carry():
                self._halt.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            pause = _FIRST_PAUSE
            with self._gate:  # from here on `wake` starts another thread
                if self.is_done:
                    self._leave()
                    return
        with self._gate:
            self._leave()

    def _leave(self) -> None:
        self._thread = None
        self._gate.notify_all()

    def _carry(self) -> bool:
        """One transaction; False if it has to be tried again."""
        with self._file:
            if self.end is not None:
                return True
            self._begun = time.monotonic()
            try:
                if self._packed is None:
                    self._packed = self._recording.pack(self._backlog.take())
                self._recording.write(self._packed)
                self._packed = None
                self._recover()
                self._recording.stay_small()
            except Exception as error:  # noqa: BLE001 - in a thread nobody would hear of it
                return self._fail(error)
            finally:
                self._begun = float("inf")
        return True

    def _recover(self) -> None:
        if self._told:
            _log.info("The trace `%s` is recorded again.", self._path)
        self.trouble, self._told = None, False

    def _fail(self, error: Exception) -> bool:
        reason = database.explain(error)
        if not database.may_pass(error):
            self._recording.abandon()
            self._backlog.clear()
            self._packed = None
            self.end = f"The trace `{self._path}` is not recorded any further: {reason}."
            ours = not isinstance(error, OSError | sqlite3.Error)
            _log.warning(self.end, extra={INTERNAL: ours})
            return True
        now = time.monotonic()
        if self.trouble is None:
            self._since = now
        self._locked = database.is_locked(error)
        self.trouble = f"The trace `{self._path}` cannot be written at present: {reason}."
        if now - self._since > _TELL_AFTER and not self._told:
            self._told = True
            _log.warning("%s What comes is kept, as far as there is room.", self.trouble)
        return False
