from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from paramedic.trace import Writer, database, schema
from paramedic.trace.errors import TraceError


def _pragma(db: sqlite3.Connection, name: str) -> Any:
    return db.execute(f"PRAGMA {name}").fetchone()[0]


def test_a_new_file_says_what_it_is(tmp_path: Path) -> None:
    db = database.create(tmp_path / "run.db")
    assert _pragma(db, "application_id") == schema.APPLICATION_ID
    assert _pragma(db, "user_version") == 1
    assert _pragma(db, "journal_mode") == "wal"
    assert _pragma(db, "synchronous") == 1  # NORMAL
    assert 0 < _pragma(db, "journal_size_limit") <= 2**23
    db.close()


def test_an_existing_file_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.write_text("precious")
    with pytest.raises(FileExistsError, match=r"fresh_path\('run.db'\)"):
        database.create(path)
    assert path.read_text() == "precious"


class _NoWal(sqlite3.Connection):
    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        if "WAL" in sql:
            raise sqlite3.OperationalError("locking protocol")
        return super().execute(sql, *args)


def test_a_disk_without_wal_is_used_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(target: str) -> sqlite3.Connection:
        return sqlite3.connect(target, isolation_level=None, factory=_NoWal)

    monkeypatch.setattr(database, "_connect", connect)
    db = database.create(tmp_path / "run.db")
    assert _pragma(db, "journal_mode") == "delete"
    db.close()


def test_finish_leaves_one_file(tmp_path: Path) -> None:
    db = database.create(tmp_path / "run.db")
    db.execute("INSERT INTO meta VALUES ('a', 0, '')")
    assert (tmp_path / "run.db-wal").exists()
    database.finish(db)
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]
    assert (tmp_path / "run.db").read_bytes()[18:20] == b"\1\1"  # a file without a log


def test_finish_does_not_wait_for_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    db = database.create(path)
    reader = database.open_read_only(path)
    start = time.monotonic()
    database.finish(db)
    assert time.monotonic() - start < database.LOCK_SECONDS / 2
    assert reader.execute("SELECT count(*) FROM frames").fetchone() == (0,)
    reader.close()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    database.create(path).close()
    reader = database.open_read_only(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM frames")
    reader.close()


@pytest.fixture
def read_only_disk(wal_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuses what SQLite refuses where no `-shm` can be created (root may create anything)."""
    connect = database._connect

    def refuse(target: str) -> sqlite3.Connection:
        if "immutable" in target:
            return connect(target)
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    monkeypatch.setattr(database, "_connect", refuse)


@pytest.fixture
def wal_file(tmp_path: Path) -> Path:
    """A trace that is complete but still in WAL mode."""
    database.create(tmp_path / "run.db").close()
    return tmp_path / "run.db"


@pytest.mark.usefixtures("read_only_disk")
def test_a_read_only_disk_is_read_as_immutable(wal_file: Path) -> None:
    reader = database.open_read_only(wal_file)
    assert reader.execute("SELECT count(*) FROM frames").fetchone() == (0,)
    reader.close()


@pytest.mark.usefixtures("read_only_disk")
def test_but_never_without_the_rows_of_its_log(wal_file: Path) -> None:
    Path(f"{wal_file}-wal").write_bytes(b"rows")
    with pytest.raises(TraceError, match="copy both files"):
        database.open_read_only(wal_file)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_FULL, "disk is full"),
        (sqlite3.SQLITE_BUSY | (2 << 8), "keeps it locked"),
        (sqlite3.SQLITE_IOERR | (3 << 8), "disk reports an error"),
    ],
)
def test_errors_are_explained(code: int, words: str) -> None:
    error = sqlite3.OperationalError("as sqlite says")
    error.sqlite_errorcode = code
    assert words in database.explain(error)
    assert "as sqlite says" in database.explain(error)


def test_other_errors_speak_for_themselves() -> None:
    assert database.explain(OSError("strange")) == "strange"


def test_a_reader_that_is_just_looking_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    db = database.create(path)
    db.execute("INSERT INTO meta VALUES ('a', 0, '')")
    reader = database.open_read_only(path)
    reader.execute("SELECT count(*) FROM frames").fetchall()
    leaving = threading.Timer(0.05, reader.close)
    leaving.start()
    database.finish(db)
    leaving.join()
    assert not Path(f"{path}-wal").exists()


def test_a_trace_is_locked_only_if_nobody_else_has_it(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.meta("key", 1)
    with pytest.raises(sqlite3.OperationalError):
        database.only_user(tmp_path / "run.db")
    writer.close()
    locked = database.only_user(tmp_path / "run.db")
    with pytest.raises(sqlite3.OperationalError):
        database.only_user(tmp_path / "run.db")
    locked.close()


def test_a_trace_is_blank_until_something_is_recorded(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    for step, expected in enumerate([True, False]):
        db = database.open_read_only(tmp_path / "run.db")
        assert database.is_blank(db) is expected
        db.close()
        writer.pulse(step, 1.0, True, False)
        writer.flush()
    writer.close()
