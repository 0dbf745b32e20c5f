"""What a forked process has open in common with its parent, made its own.

Both would move the same position in a file, write to the same log, take bytes from the same pipe.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
from collections.abc import Collection
from contextlib import suppress

_MOST_COPIED = 64 * 2**20
_CREATING = os.O_CREAT | os.O_EXCL | os.O_TRUNC


def privatise(keep: Collection[int], copies: str | None = None) -> None:
    """Files are opened once more, by their name, where they were. All that is no file leads
    nowhere; `keep` stays. With `copies`, a folder, files that could be written become copies
    there, because their name is that of the real one."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for one in _open():
        if one in keep or one == nothing:
            continue
        with suppress(OSError):
            _own(one, nothing, copies)
    os.close(nothing)
    if sys.platform == "linux":
        from paramedic.experiment.sandbox import mappings

        mappings.privatise()


def _open() -> list[int]:
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return [int(one) for one in os.listdir(folder)]
    return list(range(256))


def _own(one: int, nothing: int, copies: str | None) -> None:
    found = os.fstat(one)
    if stat.S_ISCHR(found.st_mode) and not os.isatty(one):
        return
    new = -1
    if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode):
        with suppress(OSError):
            new = _reopened(one, found, copies)
    inheritable = os.get_inheritable(one)
    os.dup2(nothing if new < 0 else new, one, inheritable)
    if new >= 0:
        os.close(new)


def _reopened(one: int, found: os.stat_result, copies: str | None) -> int:
    flags = fcntl.fcntl(one, fcntl.F_GETFL) & ~_CREATING
    writes = flags & (os.O_WRONLY | os.O_RDWR)
    path = _path(one)
    gone = not found.st_nlink or not os.path.exists(path)
    if stat.S_ISDIR(found.st_mode):
        return os.open(path, flags)
    if gone or (writes and copies is not None):
        new = _copy(one, found.st_size, flags, copies)
    else:
        new = os.open(path, flags)
    os.lseek(new, os.lseek(one, 0, os.SEEK_CUR), os.SEEK_SET)
    return new


def _copy(one: int, size: int, flags: int, copies: str | None) -> int:
    if size > _MOST_COPIED:
        raise OSError("too large to copy")
    if copies is None:
        new = os.memfd_create(f"descriptor{one}")
    else:
        name = os.path.join(copies, f"descriptor{one}")
        new = os.open(name, os.O_RDWR | os.O_CREAT | flags & os.O_APPEND, 0o600)
    with suppress(OSError):  # written only, and its name is gone
        content = os.open(f"/dev/fd/{one}", os.O_RDONLY)
        os.pwrite(new, os.pread(content, size, 0), 0)
        os.close(content)
    return new


def _path(one: int) -> str:
    if os.path.isdir("/proc/self/fd"):
        return os.readlink(f"/proc/self/fd/{one}")
    found = fcntl.fcntl(one, fcntl.F_GETPATH, bytes(1024))  # type: ignore[attr-defined]
    return os.fsdecode(bytes(found).rstrip(b"\0"))
