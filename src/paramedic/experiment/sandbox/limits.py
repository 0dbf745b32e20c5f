"""What an experiment may take of the machine, and how much of it is taken."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

_SHARE_OF_MEMORY = 0.9  # of what is free: more would make the machine swap, or end others
_SHARE_ON_DISK = 0.25  # what is written is kept in memory
_MOST_ON_DISK = 4 * 2**30
_UNKNOWN = 4 * 2**30  # bytes of memory where the system does not tell
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """Of time, memory, disk and processes. Without a number for memory or disk it is a share of
    the memory that is free when the experiment begins; what it writes is kept in memory, too."""

    seconds: float = 600.0
    memory: int | None = None
    disk: int | None = None
    processes: int = 500

    def fixed(self) -> Limits:
        """With a number for each, from what is free now."""
        free = free_memory()
        memory = int(_SHARE_OF_MEMORY * free) if self.memory is None else self.memory
        disk = min(int(_SHARE_ON_DISK * free), _MOST_ON_DISK) if self.disk is None else self.disk
        return replace(self, memory=memory, disk=disk)


def free_memory() -> int:
    """Bytes that can be had, of the machine or of the group that this process is limited to."""
    found = [_of_machine()]
    with suppress(OSError, ValueError):
        folder = "/sys/fs/cgroup"
        most, used = (_number(f"{folder}/memory.{name}") for name in ("max", "current"))
        found.append(most - used)
    return max(min(found), 0)


def _of_machine() -> int:
    with suppress(OSError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return _UNKNOWN


def _number(file: str) -> int:
    with open(file, encoding="ascii") as opened:
        return int(opened.read())


def memory_of(processes: Iterable[int], limit: int) -> int:
    """Bytes that processes have between them. What they share is counted once; that takes long,
    so it is done only where the quick sum, which counts it several times, is above the limit."""
    members = list(processes)
    quick = sum(_resident(one) for one in members)
    return quick if quick <= limit else sum(_share(one) for one in members)


def _resident(process: int) -> int:
    with suppress(OSError, ValueError, IndexError), open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * _PAGE
    return 0


def _share(process: int) -> int:
    with suppress(OSError, ValueError), open(f"/proc/{process}/smaps_rollup") as file:
        for line in file:
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(process)


def size_of(folder: str) -> int:
    """Bytes on the disk of all files in a folder; what vanishes meanwhile does not count."""
    found = 0
    for here, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += os.lstat(os.path.join(here, name)).st_blocks * 512
    return found
