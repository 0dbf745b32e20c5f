"""Memory that a forked process shares with its parent, made its own (Linux).

A fork copies memory as soon as it is written, but not what was mapped to be shared: tensors after
`share_memory_()`, arrays of `multiprocessing`, a `numpy.memmap` that is written through to its
file. What an experiment changes there would be changed in the program, and on the disk.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import suppress

_PROT_READ, _PROT_WRITE = 1, 2
_MAP_PRIVATE, _MAP_FIXED, _MAP_ANONYMOUS = 2, 0x10, 0x20
_MREMAP_MAYMOVE, _MREMAP_FIXED = 1, 2
_FAILED = ctypes.c_void_p(-1).value
_DEVICES = "/dev/"
_MEMORY = ("/dev/zero", "/dev/shm/")  # devices in name only


def privatise() -> None:
    """Every mapping that is shared and can be written."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
    for begin, size, offset, path in list(_shared()):
        if not _of_file(libc, begin, size, offset, path):
            _copied(libc, begin, size)


def _shared() -> Iterator[tuple[int, int, int, str]]:
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            where, rights, offset, _, _, *path = line.rstrip("\n").split(None, 5)
            name = path[0] if path else ""
            is_device = name.startswith(_DEVICES) and not name.startswith(_MEMORY)
            if rights[1] == "w" and rights[3] == "s" and not is_device:
                begin, end = (int(one, 16) for one in where.split("-"))
                yield begin, end - begin, int(offset, 16), name


def _of_file(libc: ctypes.CDLL, begin: int, size: int, offset: int, path: str) -> bool:
    """Map the file once more, so that only pages that are written are copied. It is the same one:
    its content is that of the mapping."""
    if not path.startswith("/") or path.endswith(" (deleted)"):
        return False
    with suppress(OSError):
        opened = os.open(path, os.O_RDONLY)
        found = _mmap(libc, begin, size, _MAP_PRIVATE | _MAP_FIXED, opened, offset)
        os.close(opened)
        return found != _FAILED
    return False


def _copied(libc: ctypes.CDLL, begin: int, size: int) -> None:
    made = _mmap(libc, None, size, _MAP_PRIVATE | _MAP_ANONYMOUS, -1, 0)
    if made is None or made == _FAILED:
        raise MemoryError(f"{size} bytes of shared memory cannot be copied")
    ctypes.memmove(made, begin, size)
    size_ = ctypes.c_size_t(size)
    flags = _MREMAP_MAYMOVE | _MREMAP_FIXED
    libc.mremap(ctypes.c_void_p(made), size_, size_, flags, ctypes.c_void_p(begin))


def _mmap(
    libc: ctypes.CDLL, begin: int | None, size: int, flags: int, opened: int, offset: int
) -> int | None:
    found: int | None = libc.mmap(
        ctypes.c_void_p(begin), ctypes.c_size_t(size), _PROT_READ | _PROT_WRITE, flags, opened,
        ctypes.c_long(offset),
    )  # fmt: skip
    return found
