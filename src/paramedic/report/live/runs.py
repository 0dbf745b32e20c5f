"""Which runs there are: the traces under the places that the user named, and no other file.

A run is asked for by an identifier that is looked up here, never by a path, so that no request
can name a file. Symbolic links are followed only to what lies inside the given places.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

DEPTH = 4  # folders below a given one: those of `heal` and of a study lie deeper than one
MOST_RUNS = 1000  # of which the newest are listed
_FRESH = 60.0  # seconds since a change, for a run that goes on
_MOST_ENTRIES = 100_000  # of folders that are looked at in one scan: a home folder was given


@dataclass(frozen=True, slots=True)
class Stamp:
    """What changes when a trace does; cheap enough to ask ten times a second."""

    identity: int = 0  # another number: another file has taken its place
    size: int = -1  # below zero: there is no such file
    changed: int = 0  # nanoseconds
    logged: int = 0  # the same of the write-ahead log
    log_size: int = 0

    @property
    def is_there(self) -> bool:
        return self.size >= 0

    @property
    def seconds(self) -> float:
        """When it changed last, as `time.time()` tells it."""
        return max(self.changed, self.logged) / 1e9


@dataclass(frozen=True, slots=True)
class Place:
    """One run: its identifier, its name for the eye, and where it lies."""

    id: str
    name: str
    path: Path

    def stamp(self) -> Stamp:
        """How the file is now."""
        try:
            found = os.stat(self.path)
        except OSError:
            return Stamp()
        logged = log_size = 0
        with suppress(OSError):
            log = os.stat(f"{self.path}-wal")
            logged, log_size = log.st_mtime_ns, log.st_size
        return Stamp(found.st_ino, found.st_size, found.st_mtime_ns, logged, log_size)


class Runs:
    """The runs under the given places; asked again, it finds those that began since."""

    def __init__(self, given: Sequence[str | os.PathLike[str]]) -> None:
        self._given = [_checked(Path(one)) for one in given]
        self._places: dict[str, Place] = {}
        self._met: dict[str, int] = {}  # identifier -> place in the order of first sight
        self._lock = Lock()

    @property
    def names(self) -> list[str]:
        """The places that were given, for the eye."""
        return [readable(str(one)) for one in self._given]

    def scan(self) -> list[Place]:
        """All runs there are now, the one that changed last first."""
        found = {place.id: (place.stamp(), place) for place in self._found()}
        there = [pair for pair in found.values() if pair[0].is_there]
        there.sort(key=lambda pair: (-pair[0].seconds, pair[1].name))
        with self._lock:
            for _, place in reversed(there):
                self._met.setdefault(place.id, len(self._met))
            there = self._settled(there)
            self._places = {place.id: place for _, place in there[:MOST_RUNS]}
            return list(self._places.values())

    def _settled(self, there: list[tuple[Stamp, Place]]) -> list[tuple[Stamp, Place]]:
        """Those that go on first, in the order in which they were met: each of them has changed
        just now, and a list that jumps about cannot be read."""
        since = time.time() - _FRESH
        fresh = [pair for pair in there if pair[0].seconds > since]
        fresh.sort(key=lambda pair: -self._met[pair[1].id])
        return fresh + there[len(fresh) :]

    def get(self, identifier: str) -> Place | None:
        """The run of this identifier, if it is known and still lies where it may be read."""
        with self._lock:
            place = self._places.get(identifier)
        return place if place is not None and self._is_inside(place.path) else None

    def only(self) -> Place | None:
        """The run, if a single trace was given and no folder."""
        is_single = len(self._given) == 1 and not self._given[0].is_dir()
        found = self.scan() if is_single else []
        return found[0] if found else None

    def _found(self) -> Iterator[Place]:
        for given in self._given:
            if given.is_dir():
                for path in _traces(given):
                    if not path.is_symlink() or self._is_inside(path):
                        yield _place(path, str(path.relative_to(given)))
            else:
                yield _place(given, given.name)

    def _is_inside(self, path: Path) -> bool:
        """Whether it lies, with all links followed, in or under a given place."""
        try:
            real = path.resolve()
        except (OSError, RuntimeError):  # a circle of links
            return False
        return any(real.is_relative_to(given.resolve()) for given in self._given)


def readable(text: str) -> str:
    """A name as text that can be sent: a file name may hold bytes that are no text."""
    return os.fsencode(text).decode("utf-8", "replace")


def _checked(given: Path) -> Path:
    """A folder, or a file that is there or may come to be there."""
    path = given.absolute()
    if path.is_dir() or path.is_file():
        return path
    if path.exists():
        raise ValueError(f"`{given}` is neither a file nor a directory.")
    if path.suffix != ".db":
        raise FileNotFoundError(
            f"There is no directory `{given}`: create it, or name the one that traces go to."
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"`{given}` cannot come to be there: there is no directory `{given.parent}`."
        )
    return path


def _place(path: Path, name: str) -> Place:
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()
    return Place(digest[:20], readable(name), path)


def _traces(folder: Path) -> Iterator[Path]:
    """All `*.db` below the folder; hidden folders and links to folders are passed over."""
    left = _MOST_ENTRIES
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop(0)
        for entry in _entries(here):
            left -= 1
            if left < 0:
                return
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth + 1 < DEPTH:
                    waiting.append((Path(entry.path), depth + 1))
            elif entry.name.endswith(".db"):
                yield Path(entry.path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:  # gone meanwhile, or not ours to read
        return []
