"""Where a new trace goes, so that no run ever overwrites another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path


def fresh_path(path: str | os.PathLike[str]) -> Path:
    """A path nobody uses yet, claimed by creating the empty file.

    `run.db` becomes `run-2.db`, `run-3.db` … while the name is taken. A directory (or a name that
    ends in a slash) gives a new file inside it named by the time in UTC: `20261115-225401.db`.
    Parent directories are created. Where nothing can be created the wanted path comes back as it
    is: it is for `Writer` to report that, and training goes on.
    """
    wanted = Path(path)
    if os.path.isdir(wanted) or os.fspath(path).endswith(("/", os.sep)):
        wanted = wanted / f"{datetime.now(UTC):%Y%m%d-%H%M%S}.db"
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
