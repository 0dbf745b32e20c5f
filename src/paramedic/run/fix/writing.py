"""Changing the user's file: all of it or nothing, and only if it is still what was read.

The new text is written beside the file and flushed, then the two change places in one step. What
comes back is the file as it was at that very moment: if somebody has typed into it meanwhile, the
two change back. It is kept as `train.py.orig`, with whatever an editor may still write to it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path

from paramedic.run.fix.patch import Patch

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


class Changed(Exception):
    """The file is not what the patch was made for."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"`{file}` was changed while the patch was tried: it stays as it is")


def write(patch: Patch) -> Path:
    """Change the user's file and keep the original beside it; gives the path of the original.

    Its rights stay, and it is the file at the end of a link that is changed. Raises `Changed`, or
    `OSError` when it cannot be written; then the file is as it was.
    """
    file = Path(os.path.realpath(patch.file))
    before, after = patch.before.encode("utf-8"), patch.after.encode("utf-8")
    new = _beside(file, after)
    try:
        if file.read_bytes() != before:
            raise Changed(patch.file)
        if not _exchange(new, file):
            kept = _kept(file, file)
            os.replace(new, file)
        elif new.read_bytes() == before:
            kept = _kept(new, file)
        else:
            _exchange(new, file)
            raise Changed(patch.file)
    finally:
        _remove(new, before, after)
    _flush(file.parent)
    return kept


def _beside(file: Path, content: bytes) -> Path:
    """A new file with this content and the rights of the other one, surely on the disk."""
    found = file.stat()
    opened, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(opened, "wb") as new:
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
        with suppress(OSError):  # the owner stays if we may give it away
            os.chown(name, found.st_uid, found.st_gid)
        os.chmod(name, found.st_mode)
    except BaseException:
        os.unlink(name)
        raise
    return Path(name)


def _exchange(one: Path, other: Path) -> bool:
    """Let two files change places in one step; whether the system can do that."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    if rename is None:
        return False
    names = os.fsencode(one), os.fsencode(other)
    return bool(rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0)


def _kept(original: Path, file: Path) -> Path:
    """The original gets a name that no other file has."""
    for number in count(1):
        kept = file.with_name(f"{file.name}.orig{number if number > 1 else ''}")
        try:
            os.link(original, kept)
        except FileExistsError:
            continue
        except OSError:  # no second names on this disk
            if kept.exists():
                continue
            kept.write_bytes(original.read_bytes())
        return kept
    raise AssertionError("numbers do not end")


def _remove(new: Path, *known: bytes) -> None:
    """Nothing that somebody has typed."""
    with suppress(OSError):
        if new.read_bytes() in known:
            new.unlink()


def _flush(folder: Path) -> None:
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        os.fsync(opened)
        os.close(opened)
