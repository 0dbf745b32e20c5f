"""Watching over a group of processes from outside, and ending it as a whole."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType

from paramedic.experiment.sandbox.limits import Limits, memory_of, size_of

TIME, MEMORY, DISK, PROCESSES, ABANDONED = "time", "memory", "disk", "processes", "abandoned"
_LOOK = 0.1  # seconds between two looks at the group
_QUICK_LOOK = 0.01  # where the system does not tell that a process has ended
_SIZE_EVERY = 10  # looks
_PATIENCE = 5.0  # seconds for a killed process to be gone
_SIGNALLED = 128  # what a shell adds to the number of the signal that ended a process


class _Terminated(BaseException):
    """Whoever wanted the result is gone."""


@dataclass(frozen=True, slots=True)
class Group:
    """A process with all it has started. `is_namespace`: it is the first one of a namespace, which
    the kernel ends with it, and `/proc` shows this namespace alone."""

    leader: int
    is_namespace: bool

    def members(self) -> list[int]:
        """The numbers of its processes, as `/proc` has them."""
        if self.is_namespace:
            return _numbers()
        return [self.leader, *_descendants(self.leader)]

    def end(self) -> None:
        """All that is left when the leader has ended; returns when they are gone."""
        if self.is_namespace:  # the kernel has done so
            return
        with suppress(OSError):
            os.killpg(self.leader, signal.SIGKILL)
        give_up = time.monotonic() + _PATIENCE
        # What they leave behind becomes ours, where the system knows that.
        while (left := _children_left()) and time.monotonic() < give_up:
            for one in left:
                _kill(one)
            time.sleep(_QUICK_LOOK)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who waits for the result: the process `parent`, and whoever can write to the other end of
    the pipe `alive`."""

    parent: int
    alive: int | None = None

    def no_more(self) -> bool:
        """Whether that is over."""
        if self.alive is not None and select.select([self.alive], [], [], 0)[0]:
            return True
        return os.getppid() != self.parent


def supervise(group: Group, limits: Limits, wanted: Wanted, written: str = "") -> tuple[int, str]:
    """Wait for the leader. Gives its exit code, and which limit it has exceeded if it was ended.

    `written` is a folder whose size counts, where the file system does not limit it.
    """
    leader = _Leader(group.leader)
    try:
        signal.signal(signal.SIGTERM, _on_terminated)
        why = _watched(group, leader, limits, wanted, written)
    except _Terminated:
        why = ABANDONED
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = leader.end()
    group.end()
    return code, why


def _on_terminated(number: int, frame: FrameType | None) -> None:
    raise _Terminated


def _watched(group: Group, leader: _Leader, limits: Limits, wanted: Wanted, written: str) -> str:
    end = time.monotonic() + limits.seconds
    looks = 0
    while not leader.has_ended(wanted.alive):
        looks += 1
        if time.monotonic() > end:
            return TIME
        if wanted.no_more():
            return ABANDONED
        why = _exceeded(group, limits, written if looks % _SIZE_EVERY == 0 else "")
        if why:
            return why
    return ""


def _exceeded(group: Group, limits: Limits, written: str) -> str:
    members = group.members()
    if len(members) > limits.processes:
        return PROCESSES
    if limits.memory is not None and memory_of(members, limits.memory) > limits.memory:
        return MEMORY
    if written and limits.disk is not None and size_of(written) > limits.disk:
        return DISK
    return ""


class _Leader:
    """A child whose end is waited for."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._status: int | None = None
        self._descriptor = -1
        if sys.platform == "linux":
            with suppress(OSError):
                self._descriptor = os.pidfd_open(process)

    def has_ended(self, alive: int | None) -> bool:
        """Whether it has, after a moment; sooner if something happens."""
        waited = [one for one in (self._descriptor, alive) if one is not None and one >= 0]
        select.select(waited, [], [], _LOOK if self._descriptor >= 0 else _QUICK_LOOK)
        return self._reaped(os.WNOHANG)

    def end(self) -> int:
        """End it if it has not ended. Gives its exit code, or that of a shell if it was killed."""
        if self._status is None:
            _kill(self._process)
        self._reaped(0)
        status = self._status or 0
        if os.WIFSIGNALED(status):
            return _SIGNALLED + os.WTERMSIG(status)
        return os.WEXITSTATUS(status)

    def _reaped(self, options: int) -> bool:
        if self._status is None:
            with suppress(ChildProcessError):
                process, status = os.waitpid(self._process, options)
                self._status = status if process else None
        return self._status is not None


def reap(program: int) -> int:
    """As the first process of a namespace: bury all that end, until the program does. Gives its
    exit code."""
    while True:
        process, status = os.wait()
        if process == program:
            if os.WIFSIGNALED(status):
                return _SIGNALLED + os.WTERMSIG(status)
            return os.WEXITSTATUS(status)


def close_all_but(kept: Sequence[int]) -> None:
    """Let go of what was inherited: an end of a pipe would keep its reader waiting."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        if stream not in kept:
            os.dup2(nothing, stream)
    begin = 3
    for one in sorted({*kept, sys.maxsize}):
        if one > begin:
            os.closerange(begin, min(one, 2**31 - 1))
        begin = max(begin, one + 1)


def _kill(process: int) -> None:
    with suppress(OSError):
        os.kill(process, signal.SIGKILL)


def _children_left() -> list[int]:
    """Those of this process that have not ended; the others are buried."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    parents = _parents()
    return [one for one, parent in parents.items() if parent == os.getpid()]


def _descendants(process: int) -> Iterator[int]:
    parents = _parents()
    found = {process}
    while True:
        new = {one for one, parent in parents.items() if parent in found} - found
        if not new:
            return
        yield from new
        found |= new


def _numbers() -> list[int]:
    with suppress(OSError):
        return [int(one) for one in os.listdir("/proc") if one.isdigit()]
    return []


def _parents() -> dict[int, int]:
    """Of each process its parent; nothing where there is no `/proc`."""
    found = {}
    for one in _numbers():
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{one}/stat", "rb") as file:
            found[one] = int(file.read().rpartition(b")")[2].split()[1])
    return found
