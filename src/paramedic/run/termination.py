"""A program that is ended by SIGTERM, as by a cluster whose time is up, is reported first.

Without a handler SIGTERM ends a process at once: no `finally` runs, no exit handler. A program
under watch ends like that, too, only after the report. It is written inside of the handler, so
that nothing of the program is run or unwound.

A program that sets its own handler gets what it would get without us: it sees the default
handler before, and ours is out of the way then. Ours comes back when it sets the default again.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TextIO

from paramedic.probe.isolation import isolated
from paramedic.run import program
from paramedic.run.patching import Function, Patches

TERMINATED = 128 + signal.SIGTERM  # what a shell reports for a program that was ended by it
_US = str(Path(__file__).parent.parent)
_AGAIN = 0.05  # seconds until the next try while our own code is at work
_TRIES = 100


@contextmanager
def on_termination(then: Callable[[], None]) -> Iterator[None]:
    """While this lasts, SIGTERM calls `then` and ends the process as it does by default.

    Does nothing where SIGTERM is ignored or handled already, and outside of the main thread.
    """
    if not _is_default():
        yield
        return
    handler = _Handler(then)
    handler.open()
    try:
        yield
    finally:
        with isolated("termination"):
            handler.close()


def _is_default() -> bool:
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


class _Handler:
    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then
        self._patches = Patches()
        self._tries = 0
        self._set = signal.signal
        self._get = signal.getsignal

    def open(self) -> None:
        self._set(signal.SIGTERM, self._on_signal)
        self._patches.wrap(signal, "signal", self._setter)
        self._patches.wrap(signal, "getsignal", self._getter)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.close)

    def close(self) -> None:
        """Also in a forked child: it is ended as it would be without us."""
        self._patches.remove()
        if self._get(signal.SIGTERM) == self._on_signal:
            self._set(signal.SIGTERM, signal.SIG_DFL)

    # -- what the program sees ---------------------------------------------------------------

    def _getter(self, original: Function) -> Function:
        return lambda *args, **kwargs: self._seen(original(*args, **kwargs))

    def _setter(self, original: Function) -> Function:
        def set_handler(signalnum: Any, handler: Any) -> Any:
            ours = signalnum == signal.SIGTERM and handler == signal.SIG_DFL
            return self._seen(original(signalnum, self._on_signal if ours else handler))

        return set_handler

    def _seen(self, handler: Any) -> Any:
        return signal.SIG_DFL if handler == self._on_signal else handler

    # -- the end -----------------------------------------------------------------------------

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._tries += 1
        if _is_ours(frame) and self._tries < _TRIES:  # its records may be half written: a bit later
            timer = threading.Timer(_AGAIN, os.kill, (os.getpid(), number))
            timer.daemon = True
            timer.start()
            return
        self.close()  # a second signal does not wait
        try:
            with _own_streams():
                _reported(self._then)
        finally:
            _die(number)


def _is_ours(frame: FrameType | None) -> bool:
    """Whether our code has been called by the program, and has not returned yet."""
    while frame is not None and frame.f_code.co_filename != program.__file__:
        if frame.f_code.co_filename.startswith(_US):
            return True
        frame = frame.f_back
    return False


def _reported(then: Callable[[], None]) -> None:
    try:
        then()
    except Exception as error:  # noqa: BLE001 - the process ends: this is the last chance to say it
        sys.stderr.write(f"paramedic: no report: {type(error).__name__}: {error}\n")


@contextmanager
def _own_streams() -> Iterator[None]:
    """The program may be writing to its own ones right now, which must not be entered twice."""
    before = sys.stdout, sys.stderr
    with suppress(OSError, RuntimeError, ValueError):  # closed, or being written to
        before[0].flush()
        before[1].flush()
    sys.stdout, sys.stderr = _stream(1, before[0]), _stream(2, before[1])
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        sys.stdout, sys.stderr = before


def _stream(number: int, like: TextIO) -> TextIO:
    try:
        encoding = getattr(like, "encoding", None)
        return open(os.dup(number), "w", encoding=encoding, errors="backslashreplace")
    except OSError:  # closed
        return like


def _die(number: int) -> NoReturn:
    """Of the signal, as the caller expects; the first process of a container survives it."""
    os.kill(os.getpid(), number)
    os._exit(128 + number)
