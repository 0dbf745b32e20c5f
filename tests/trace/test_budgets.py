"""A trace that asks for more than it holds is refused, in a second and with little memory."""

from __future__ import annotations

import sqlite3
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from paramedic.trace import Trace, TraceError, Writer, database, reader
from paramedic.trace.schema import checksum, frame_checksum
from paramedic.types import Frame

MakeFrame = Callable[..., Frame]
SECONDS, BYTES = 1.0, 200 * 2**20


@pytest.fixture
def path(writer: Writer, make_frame: MakeFrame) -> Path:
    for step in range(80):
        writer.frame(make_frame(step))
        writer.pulse(step, 1.0, True, False)
    writer.close()
    return writer.path


def _forge(path: Path, *statements: str, **values: object) -> None:
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement, values)
    db.commit()
    db.close()


def _refused(path: Path, match: str, read: Callable[[Trace], object]) -> None:
    begin = time.process_time()
    tracemalloc.start()
    with pytest.raises(TraceError, match=match), Trace.open(path) as trace:
        read(trace)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.process_time() - begin < 3 * SECONDS  # of which tracing takes most
    assert peak < BYTES


_NUMBERS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < :count) "


@pytest.mark.parametrize("table", ["epochs", "events"])
def test_too_many_records(path: Path, table: str) -> None:
    text = '{"epoch":1,"step":1,"kind":"","message":"","values":{}}'
    insert = f"INSERT INTO {table}(step, crc, data) {_NUMBERS} SELECT 1, :crc, :text FROM c"
    _forge(path, insert, count=150_000, crc=checksum(text, 1), text=text)
    _refused(path, f"too many {table}", lambda trace: getattr(trace, table))


def test_blobs_longer_than_any_frame(path: Path) -> None:
    _forge(path, "UPDATE frames SET data = zeroblob(21000000) WHERE step < 3")
    _refused(path, "too big", lambda trace: list(trace.frames()))
    _refused(path, "too big", lambda trace: trace.window(2))


def test_a_row_of_heartbeats_longer_than_any(path: Path) -> None:
    blob = bytes(17 * 100_000)
    crc = checksum(blob, 0, 0)
    _forge(path, "INSERT INTO pulses VALUES (50, 0, 0, :crc, :blob)", crc=crc, blob=blob)
    _refused(path, "more than any chunk", lambda trace: trace.pulse())


@pytest.mark.parametrize("text", ["[" + "[]," * 4_000_000 + "[]]", "[" * 100_000, "9" * 10**6])
def test_values_that_grow_when_they_are_parsed(path: Path, text: str) -> None:
    crc = checksum(text, "chart")
    _forge(path, "INSERT OR REPLACE INTO meta VALUES ('chart', :crc, :text)", crc=crc, text=text)
    _refused(path, "chart is invalid", lambda trace: trace.chart)


def test_a_window_that_would_need_much_more_memory_than_the_file_has_bytes(path: Path) -> None:
    text = '{"scalars": [], "layers": ["a", "b", "c"], "width": 1000000}'
    blob = bytes(4 * 3_000_000)
    crc = frame_checksum(blob, 90, "full", 9)
    _forge(path, "INSERT INTO layouts VALUES (9, :crc, :text)", crc=checksum(text), text=text)
    insert = (
        "INSERT INTO frames(step, level, layout, crc, data) VALUES (90, 'full', 9, :crc, :blob)"
    )
    _forge(path, insert, crc=crc, blob=blob)
    _refused(path, "too large to be judged", lambda trace: trace.window())


@pytest.mark.parametrize("read", ["frames", "pulse", "window"])
def test_pages_that_are_used_twice(path: Path, read: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows can name the same pages, so that a file gives more than it has bytes."""
    monkeypatch.setattr(reader, "_SMALL", 100)
    monkeypatch.setattr(reader, "size_on_disk", lambda path: 200)

    def run(trace: Trace) -> None:
        found = getattr(trace, read)()
        _ = list(found) if read == "frames" else found

    _refused(path, "more data than it has bytes|too large", run)


def test_a_query_that_takes_too_long(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_SECONDS", 0.05)
    endless = _NUMBERS.replace(":count", "1e12") + "SELECT count(*) FROM c"
    _refused(path, "takes more than 0.05 s", lambda trace: trace._query(endless))


def test_a_schema_of_a_hundred_thousand_objects(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = sqlite3.connect(path)
    db.execute("PRAGMA writable_schema = ON")
    db.execute(
        f"INSERT INTO sqlite_master {_NUMBERS} SELECT 'table', 't' || n, 't' || n, 0, "
        "'CREATE VIRTUAL TABLE t' || n || ' USING nothing(a)' FROM c",
        {"count": 100_000},
    )
    db.commit()
    db.close()
    begin = time.monotonic()
    with suppress(TraceError):
        Trace.open(path).close()
    assert time.monotonic() - begin < 2 * database._OPEN_SECONDS
