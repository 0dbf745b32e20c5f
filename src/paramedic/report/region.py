"""Some lines at the bottom of a terminal, under whatever the program itself writes.

The cursor always stays where the program left it, so its own progress bars and half-written lines
come out as they would without us. Text that would run into our lines is noticed on its way through
`write` of the streams: our lines are taken away before it, and put back under it.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, TextIO

_SAVE, _RESTORE = "\x1b7", "\x1b8"
_DOWN = "\x1bD"  # a line down in the same column; scrolls at the bottom
_NEXT = "\x1b[B\r\x1b[2K"  # to the line below, which is there and made empty
_REST = "\x1b[J"  # clears what is right of the cursor and below
_MOVES = re.compile(r"[\n\v\f]|\x1b(?!\[[0-9;]*[mK])")  # all but colours, and clearing a line
_SOON = 0.02  # seconds after which our lines are put back: a flood of text is not slowed down


class Region:
    """Draws on `stream`, which is a terminal; `open` and `close` surround its use."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        # Past whoever has wrapped the stream: our lines belong into nobody's copy of the output.
        self._write: Callable[[str], Any] = partial(type(self.stream).write, self.stream)
        self._wrapped: list[tuple[TextIO, Any]] = []
        self._lines: tuple[str, ...] = ()
        self._height = 0  # lines on the screen now
        self._column = 0  # at most, where the program's cursor is
        self._drawn = 0.0
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._users = 0
        self.seconds = 0.0  # spent inside of the program's own writes

    def size(self) -> tuple[int, int]:
        """Columns and lines of the terminal."""
        try:
            columns, lines = os.get_terminal_size(self.stream.fileno())
        except (OSError, ValueError):
            columns, lines = 0, 0
        columns = _number("COLUMNS") or columns
        return columns or 80, _number("LINES") or lines or 24

    def open(self) -> None:
        """From now on what the program writes is noticed. Several may open it: the newest lines
        are shown, and the last one to close it takes them away."""
        self._users += 1
        if self._users > 1:
            return
        for stream in {id(one): one for one in (sys.stdout, sys.stderr, self.stream)}.values():
            if stream is not None and is_terminal(stream):
                self._wrap(stream)
        atexit.register(self.close)

    def close(self) -> None:
        """Take our lines away and, if nobody else draws, leave the streams as they were."""
        self._users -= 1
        if os.getpid() != self._process:
            return
        with self._lock:
            self._lines = ()
            self._erase()
            if self._users > 0:
                return
            atexit.unregister(self.close)
            for stream, ours in self._wrapped:
                if stream.__dict__.get("write") is ours:  # else somebody has wrapped it, too
                    del stream.write
            self._wrapped.clear()

    def draw(self, lines: Sequence[str]) -> None:
        """Show these lines, each shorter than the terminal is wide, in the place of the last."""
        with self._lock:
            self._lines = tuple(lines)
            self._put()

    def new_line(self) -> None:
        """What is written next begins a line of its own."""
        if self._column:
            self.stream.write("\n")

    # -- on the screen ---------------------------------------------------------------------------

    def _put(self) -> None:
        """An empty line first: where a user types, or another process writes, one line is safe."""
        lines = ("", *self._lines)
        count = len(lines)
        room = _DOWN * count + f"\x1b[{count}A"
        text = "".join(_NEXT + line for line in lines)
        self._send(f"{room}{_SAVE}{text}{_REST}{_RESTORE}")
        self._height, self._drawn = count, perf_counter()

    def _erase(self) -> None:
        if self._height:
            self._height = 0
            self._send(f"{_DOWN}\x1b[A{_SAVE}\x1b[B\r{_REST}{_RESTORE}")

    def _send(self, text: str) -> None:
        sys.stdout.flush()  # a half-written line of the program's comes first
        self._write(text)
        self.stream.flush()

    # -- what the program writes -----------------------------------------------------------------

    def _wrap(self, stream: TextIO) -> None:
        original = stream.write

        def write(text: str) -> int:
            if os.getpid() != self._process or not isinstance(text, str):
                return original(text)
            with self._lock:
                if self._disturbs(text) and self._lines:
                    return self._around(original, stream, text)
                return original(text)

        stream.write = write  # type: ignore[method-assign]
        self._wrapped.append((stream, write))

    def _disturbs(self, text: str) -> bool:
        """Whether the cursor may leave its line. Characters may be two columns wide."""
        begin = max(text.rfind("\r"), text.rfind("\n")) + 1
        tail = text[begin:]
        start = 0 if begin else self._column
        self._column = start + (len(tail) if tail.isascii() else 2 * len(tail))
        return self._column >= self.size()[0] or _MOVES.search(text) is not None

    def _around(self, original: Callable[[str], int], stream: TextIO, text: str) -> int:
        begin = perf_counter()
        self._erase()
        ours = perf_counter() - begin
        written = original(text)
        stream.flush()
        begin = perf_counter()
        if begin - self._drawn >= _SOON:
            self._put()
        self.seconds += ours + perf_counter() - begin
        return written


_regions: dict[int, Region] = {}


def region_of(stream: TextIO) -> Region:
    """The one region of a terminal, for all who draw there."""
    known = _regions.get(id(stream))
    if known is None or known.stream is not stream:
        known = _regions[id(stream)] = Region(stream)
    return known


def is_terminal(stream: TextIO) -> bool:
    """Whether lines can be drawn there."""
    try:
        return stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")
    except ValueError:  # it is closed
        return False


def _number(variable: str) -> int:
    value = os.environ.get(variable, "")
    return int(value) if value.isdigit() else 0
