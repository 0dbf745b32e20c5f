"""Where the trainings of a program are recorded when no file is named: a folder of the user's.

The folder is `runs` in the place where the system keeps the state of programs (on Linux
`~/.local/state/paramedic`), or in that of the environment variable `PARAMEDIC_HOME`. Only its
owner can read it. Each run has a folder of its own in it; the oldest ones are removed, but none
of a run that still goes on.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

HOME = "PARAMEDIC_HOME"
MOST_RUNS = 100
MOST_BYTES = 2**30
_NAME = "run.db"
_LOCK = "lock"
_OURS = re.compile(r"\d{8}-\d{6}-\d{6}-")  # how the name of a run's folder begins
_held: list[sqlite3.Connection] = []  # locks, until the process ends: a report is still to come


class Recordings:
    """Names for the traces of one run.

    `wanted` is the file that the user has named for the first training; the next ones are beside
    it, as `run-2.db` and so on. Without it they are in the folder of the user's.
    """

    def __init__(self, wanted: Path | None = None) -> None:
        self._wanted = wanted
        self._given = 0

    def new(self) -> Path:
        """Where the next training is to be recorded."""
        if self._wanted is None:
            self._wanted = _own_folder() / _NAME
        self._given += 1
        if self._given == 1 or self._wanted.is_dir():
            return self._wanted
        return self._wanted.with_name(f"{self._wanted.stem}-{self._given}{self._wanted.suffix}")


def _own_folder() -> Path:
    """A new folder for this run, marked as being in use."""
    try:
        folder = _new_folder(_private(home()))
        _held.append(_locked(folder))
    except OSError:  # no home, or one that is read-only, as in some containers
        return Path(tempfile.mkdtemp(prefix="paramedic-"))
    with suppress(OSError):
        tidy(folder.parent)
    return folder


def home() -> Path:
    """The folder of all runs."""
    named = os.environ.get(HOME)
    if named:
        return Path(named).expanduser().absolute() / "runs"
    import platformdirs

    return platformdirs.user_state_path("paramedic", appauthor=False) / "runs"


def tidy(runs: Path, *, most: int = MOST_RUNS, size: int = MOST_BYTES) -> None:
    """Remove the oldest runs beyond `most`, or beyond `size` bytes in all; none that goes on, and
    nothing that was not made here."""
    kept, room = 0, size
    ours = [one for one in runs.iterdir() if _OURS.match(one.name) and (one / _LOCK).is_file()]
    for folder in sorted(ours, reverse=True):
        kept, room = kept + 1, room - _bytes(folder)
        if (kept > most or room < 0) and not _in_use(folder):
            shutil.rmtree(folder, ignore_errors=True)
            kept -= 1


def _private(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


def _new_folder(runs: Path) -> Path:
    """Named by the time, so that names are in the order of age, and by the program."""
    program = re.sub(r"[^\w-]+", "-", Path(sys.argv[0]).stem)[:40] or "program"
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    for name in _numbered(f"{stamp}-{program}"):
        with suppress(FileExistsError):
            (runs / name).mkdir(mode=0o700)
            return runs / name
    raise AssertionError("numbers do not end")


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _locked(folder: Path) -> sqlite3.Connection:
    """A lock of SQLite: it is there on every system, and goes when its process ends or dies."""
    db = sqlite3.connect(folder / _LOCK, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        db.close()
        raise OSError(str(error)) from error
    return db


def _in_use(folder: Path) -> bool:
    try:
        _locked(folder).close()
    except OSError:
        return True
    return False


def _bytes(folder: Path) -> int:
    found = 0
    for path in folder.iterdir():
        with suppress(OSError):  # removed by another process
            found += path.stat().st_size
    return found
