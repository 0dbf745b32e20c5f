from __future__ import annotations

import sqlite3

from paramedic.trace.schema import OBJECTS, checksum


def test_the_statements_are_what_sqlite_stores() -> None:
    # The reader compares them to the letter.
    db = sqlite3.connect(":memory:")
    for statement in OBJECTS.values():
        db.execute(statement)
    assert OBJECTS.items() <= dict(db.execute("SELECT name, sql FROM sqlite_master")).items()
    db.close()


def test_the_checksum_covers_content_and_keys() -> None:
    base = checksum(b"abc", 1, "full")
    assert base == checksum(bytearray(b"abc"), 1, "full") == checksum("abc", 1, "full")
    assert base != checksum(b"abd", 1, "full")
    assert base != checksum(b"abc", 2, "full")
    assert base != checksum(b"abc", 1, "vitals")
