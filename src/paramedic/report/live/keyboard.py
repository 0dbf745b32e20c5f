"""Enter in the terminal of a server: it asks for another URL."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress

_AGAIN = 1.0  # seconds until a server in the background looks again


def has_terminal() -> bool:
    """Whether somebody could press Enter."""
    try:
        return os.name == "posix" and sys.stdin is not None and os.isatty(sys.stdin.fileno())
    except (OSError, ValueError):  # closed, or not a real file
        return False


def on_enter(tell: Callable[[], None]) -> None:
    """Call `tell` in the running loop whenever a line is typed."""
    if has_terminal():
        _listen(asyncio.get_running_loop(), sys.stdin.fileno(), tell)


def _listen(loop: asyncio.AbstractEventLoop, terminal: int, tell: Callable[[], None]) -> None:
    def typed() -> None:
        if not _is_ours(terminal):
            # The line is for the program in the foreground; who reads it all the same is stopped.
            loop.remove_reader(terminal)
            loop.call_later(_AGAIN, _listen, loop, terminal, tell)
            return
        line = b""
        with suppress(OSError):
            line = os.read(terminal, 4096)
        if line:
            tell()
        else:  # Ctrl-D, or the terminal is gone
            loop.remove_reader(terminal)

    with suppress(OSError, NotImplementedError):
        loop.add_reader(terminal, typed)


def _is_ours(terminal: int) -> bool:
    """Whether this program is in the foreground of its terminal."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
