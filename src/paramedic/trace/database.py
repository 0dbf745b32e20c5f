"""Opening the SQLite file: `create` for the writer, `open_read_only` for everybody else.

Neither ever opens the file with `open()`: closing a second descriptor of a file drops all POSIX
locks this process holds on it, so a reader inside the training process would undo the writer's.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from contextlib import closing, suppress
from pathlib import Path

from paramedic.trace import schema
from paramedic.trace.errors import ForeignDatabase, TraceError

LOCK_SECONDS = 5.0  # how long a lock of somebody else may last before it counts as a failure
_READER_SECONDS = 0.2  # how long the end of a run waits for somebody who reads its trace
_OPEN_SECONDS = 2.0
_CACHED_PAGES = 64
_LONGEST_VALUE = 20 * 2**20  # bytes of one text or blob; caps what a hostile file can allocate
# Changing the mode writes one page. A process that is killed then must not leave a journal, which
# nobody can undo who may only read.
_NO_JOURNAL = "memory"
_WAL_KEPT = 4 * 2**20  # bytes the write-ahead log keeps on disk when it is empty

# What reading a damaged file can raise. `UnicodeError`: SQLite quotes the damage in its message,
# and Python fails to decode that message.
READ_ERRORS = (sqlite3.Error, UnicodeError, MemoryError)

_ADVICE = {
    sqlite3.SQLITE_FULL: "the disk is full: free some space",
    sqlite3.SQLITE_IOERR: "the disk reports an error: see if it is full or was removed",
    sqlite3.SQLITE_CANTOPEN: "no file can be created there: name a directory that is writable",
    sqlite3.SQLITE_READONLY: "the place is read-only: name a directory that is writable",
    sqlite3.SQLITE_PERM: "access is denied: name a directory that is writable",
    sqlite3.SQLITE_BUSY: "another process keeps it locked: give each run a file of its own",
    sqlite3.SQLITE_LOCKED: "another process keeps it locked: give each run a file of its own",
    sqlite3.SQLITE_CORRUPT: "the file was damaged by something else: keep other programs off it",
    sqlite3.SQLITE_NOTADB: "the file was overwritten by something else: keep other programs off it",
}


_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_PASSING = _LOCKED | {
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOMEM,
}  # fmt: skip


def is_locked(error: Exception) -> bool:
    """Whether somebody else is at the file."""
    return _code(error) in _LOCKED


def may_pass(error: Exception) -> bool:
    """Whether the same may be possible later: when there is room again, or a disk is back."""
    if isinstance(error, sqlite3.Error):
        return _code(error) in _PASSING
    return isinstance(error, OSError) and not isinstance(error, FileNotFoundError)


def _code(error: Exception) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def explain(error: Exception) -> str:
    """What went wrong and what to do about it, as the second half of a sentence."""
    advice = _ADVICE.get(_code(error) or 0)
    if isinstance(error, FileNotFoundError):
        advice = "the file was deleted or moved: leave it in place while the run lasts"
    return f"{advice} ({error})" if advice else str(error)


def create(path: Path) -> sqlite3.Connection:
    """A new trace, with its tables committed, so that a reader can open it at once.

    It is made beside its place and moved there: whenever the process is killed, there is a whole
    trace, or none, or the empty file that `fresh_path` has made.
    """
    if path.exists() and (path.stat().st_size or not path.is_file()):
        raise FileExistsError(f"the file exists already: take `fresh_path({path.name!r})`")
    _make(path)
    db = _connect(str(path))
    try:
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(f"PRAGMA journal_size_limit = {_WAL_KEPT}")
        db.execute("PRAGMA busy_timeout = 0")  # from now on the writer tries again by itself
    except sqlite3.Error:
        db.close()
        raise
    return db


def _make(path: Path) -> None:
    target = Path(os.path.realpath(path))
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        with closing(_connect(str(fresh))) as db:
            # What is killed here is not used by anybody.
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            _create_objects(db)
            # Some network disks refuse WAL; any other mode only costs time.
            with suppress(sqlite3.OperationalError):
                db.execute("PRAGMA journal_mode = WAL")
        os.replace(fresh, target)
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


def _create_objects(db: sqlite3.Connection) -> None:
    with db:
        db.execute("BEGIN IMMEDIATE")
        db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {schema.VERSION}")
        for statement in schema.OBJECTS.values():
            db.execute(statement)


def finish(db: sqlite3.Connection) -> None:
    """Closes the writer's connection and leaves one plain file that needs no `-wal` beside it.

    A reader that is just looking is waited for; while one stays, the file stays in WAL mode.
    """
    end = time.monotonic() + _READER_SECONDS
    try:
        with suppress(sqlite3.Error):
            db.execute("PRAGMA busy_timeout = 0")
            while not _is_plain(db) and time.monotonic() < end:
                time.sleep(_READER_SECONDS / 20)
    finally:
        db.close()


def _is_plain(db: sqlite3.Connection) -> bool:
    """Whether the file could be taken out of WAL mode, as far as that was tried."""
    try:
        (mode,) = db.execute(f"PRAGMA journal_mode = {_NO_JOURNAL}").fetchone()
        return str(mode) != "wal"
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False


def is_blank(db: sqlite3.Connection) -> bool:
    """Whether nothing has been recorded yet."""
    tables = ("meta", "pulses", "frames", "epochs", "events")
    asked = " OR ".join(f"EXISTS (SELECT 1 FROM {table})" for table in tables)
    (something,) = db.execute(f"SELECT {asked}").fetchone()
    return not something


def only_user(path: Path) -> sqlite3.Connection:
    """A connection to a trace that locks it; raises `sqlite3.Error` if anybody else has it open.

    What a killed run has left in its log is in the main file afterwards.
    """
    db = _connect(str(path))
    try:
        db.execute("PRAGMA busy_timeout = 0")
        # A writer is in WAL mode, and all who are must leave before it can be changed. A disk that
        # refuses WAL cannot say whether there is a writer.
        for mode in (_NO_JOURNAL, "wal", _NO_JOURNAL):
            (found,) = db.execute(f"PRAGMA journal_mode = {mode}").fetchone()
            if found != mode:
                raise sqlite3.OperationalError(f"the journal mode is `{found}`, not `{mode}`")
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        db.close()
        raise
    return db


def open_read_only(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, to a file that is a trace of a version we know."""
    _check_file(path)
    if not path.stat().st_size:
        return _nothing()
    uri = path.absolute().as_uri() + "?mode=ro"
    try:
        try:
            return _verified(path, uri)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CANTOPEN:
                raise
            _check_log(path)
            return _verified(path, uri + "&immutable=1")
    except READ_ERRORS as error:
        raise TraceError(path, f"cannot be read as a trace: {error}.") from error


def _check_file(path: Path) -> None:
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TraceError(path, f"cannot be opened: {reason}.") from error
    if stat.S_ISDIR(found.st_mode):
        raise TraceError(path, "is a directory: name the trace file inside it.")
    if not stat.S_ISREG(found.st_mode):
        raise TraceError(path, "is not a regular file.")


def _nothing() -> sqlite3.Connection:
    """The trace of a run that was killed when its file had only been claimed."""
    db = _connect(":memory:")
    _create_objects(db)
    db.execute("PRAGMA query_only = ON")
    return db


def size_on_disk(path: Path) -> int:
    """Bytes of a trace and its log."""
    return sum(os.path.getsize(one) for one in (path, f"{path}-wal") if os.path.exists(one))


def _check_log(path: Path) -> None:
    """On a read-only disk without `-shm`, SQLite can read the main file but not the log."""
    log = f"{path}-wal"
    if os.path.exists(log) and os.path.getsize(log):
        raise TraceError(
            path,
            f"has its newest rows in `{log}`, which cannot be read on a read-only disk: "
            "copy both files to a directory that is writable.",
        )


def _verified(path: Path, uri: str) -> sqlite3.Connection:
    db = _connect(uri)
    try:
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        end = time.monotonic() + _OPEN_SECONDS
        db.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA cell_size_check = ON")
        # A trace is read from front to back: a large cache only drives data out of the processor's.
        db.execute(f"PRAGMA cache_size = {_CACHED_PAGES}")
        _check_identity(path, db)
    except (*READ_ERRORS, TraceError):
        db.close()
        raise
    return db


def _check_identity(path: Path, db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA application_id").fetchone() != (schema.APPLICATION_ID,):
        raise ForeignDatabase(path, "is a SQLite database, but not a trace of Paramedic.")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > schema.VERSION:
        problem = f"(schema {version}, this one reads up to {schema.VERSION}): upgrade `paramedic`."
        raise TraceError(path, f"was written by a newer Paramedic {problem}")
    if version < 1:
        raise TraceError(path, f"has the unknown schema version {version}.")
    # Compared to the letter: a view in the place of a table would run a stranger's SQL.
    found = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    for name, statement in schema.OBJECTS.items():
        if found.get(name) != statement:
            raise TraceError(path, f"has no table `{name}` as Paramedic writes it.")


def _connect(target: str) -> sqlite3.Connection:
    return sqlite3.connect(
        target,
        timeout=LOCK_SECONDS,
        isolation_level=None,  # transactions are begun and ended by hand
        check_same_thread=False,  # hooks also run on autograd's threads
        uri=target.startswith("file:"),
    )
