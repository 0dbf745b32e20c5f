"""Where a new trace goes, so that no run ever overwrites another."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from paramedic.trace.database import is_blank, only_user, open_read_only
from paramedic.trace.errors import TraceError

_log = logging.getLogger("paramedic")
_TIME = "%Y%m%d-%H%M%S"


def newest_path(path: str | os.PathLike[str]) -> Path:
    """A path for a new run, such that `path` is always the newest one.

    The trace of an earlier run that has this name is kept beside it, named by the time in UTC at
    which it was written last: `run.db` becomes `run-20261115-225401.db`. A trace that is still
    being written, and a file that is no trace, are left alone: then a warning is logged and the
    new run gets a name of its own, as it does in a directory (see `fresh_path`).
    """
    wanted = Path(path)
    if _is_directory(path) or not os.path.lexists(wanted):
        return fresh_path(path)
    kept = _set_aside(wanted)
    if kept is not None:
        _log.info("`%s` is a new run; the one before it is kept as `%s`.", wanted, kept.name)
    found = fresh_path(wanted)
    if found != wanted:
        _log.warning(
            "`%s` is in use by another run, or is no trace: recording to `%s`.", wanted, found
        )
    return found


def _set_aside(path: Path) -> Path | None:
    """Rename a trace that nobody writes; gives its new name, or None if it stays."""
    try:
        before = path.stat()
        with closing(open_read_only(path)) as found:  # raises if it is no trace of ours
            if is_blank(found):  # a writer locks it with its first row
                return None
        with closing(only_user(path)):  # so that no one else renames it, or has begun to write
            if not os.path.samestat(before, path.stat()):
                return None
            kept = fresh_path(_dated(path, before.st_mtime))
            os.replace(path, kept)
        os.utime(kept, ns=(before.st_atime_ns, before.st_mtime_ns))
    except (OSError, sqlite3.Error, TraceError):
        return None
    return kept


def _dated(path: Path, seconds: float) -> Path:
    return path.with_name(
        f"{path.stem}-{datetime.fromtimestamp(seconds, UTC):{_TIME}}{path.suffix}"
    )


def _is_directory(path: str | os.PathLike[str]) -> bool:
    return os.path.isdir(path) or os.fspath(path).endswith(("/", os.sep))


def fresh_path(path: str | os.PathLike[str]) -> Path:
    """A path nobody uses yet, claimed by creating the empty file.

    `run.db` becomes `run-2.db`, `run-3.db` … while the name is taken. A directory (or a name that
    ends in a slash) gives a new file inside it named by the time in UTC: `20261115-225401.db`.
    Parent directories are created. Where nothing can be created the wanted path comes back as it
    is: it is for `Writer` to report that, and training goes on.
    """
    wanted = Path(path)
    if _is_directory(path):
        wanted = wanted / f"{datetime.now(UTC):{_TIME}}.db"
    with suppress(OSError):  # reported by `Writer`, which meets the same obstacle
        wanted.parent.mkdir(parents=True, exist_ok=True)
    return next(candidate for candidate in _candidates(wanted) if _claim(candidate))


def _candidates(wanted: Path) -> Iterator[Path]:
    yield wanted
    number = 2
    while True:
        yield wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
        number += 1


def _claim(path: Path) -> bool:
    """Creates the file. Exclusive, because several ranks of one job ask at the same time."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError:
        return False
    except OSError:
        return True
    return True
