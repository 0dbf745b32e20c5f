"""Mutants of a file: of its bytes, or of its structure."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from pathlib import Path
from typing import Any

from paramedic.trace.schema import checksum, frame_checksum

_PIECES = (b"", b"\0", b"\xff" * 9, b"[", b"{", b'"', b"]" * 50, b"-", b"1e999", b"null", b"\n\n")
_VALUES = (
    None, True, -1, 0, 2**63, -(2**63), 10**400, 1.5, float("nan"), float("inf"), "", "x" * 500,
    "\ud800", [], {}, [[]], {"a": 1}, [None] * 50, {"": {"": {}}},
)  # fmt: skip


def mutate(path: Path, source: random.Random) -> None:
    """Change the file in one of the ways that make sense for it."""
    structure = {".db": _database, ".json": _json, ".safetensors": _tensors}.get(path.suffix)
    if structure is not None and source.random() < 0.6:
        structure(path, source)
    else:
        path.write_bytes(_bytes(path.read_bytes(), source))


def _bytes(content: bytes, source: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(source.choice((1, 1, 2, 5, 20))):
        place = source.randrange(len(changed) + 1)
        way = source.randrange(6)
        if way == 0 and changed:
            changed[place - 1] ^= 1 << source.randrange(8)
        elif way == 1:
            changed[place:place] = source.choice(_PIECES)
        elif way == 2:
            del changed[place : place + source.choice((1, 4, 100))]
        elif way == 3:
            changed[place : place + 8] = source.randbytes(8)
        elif way == 4:
            other = source.randrange(len(changed) + 1)
            changed[place:place] = changed[other : other + source.choice((4, 100, 4096))]
        elif source.random() < 0.2:
            del changed[place:]
    return bytes(changed)


def _json(path: Path, source: random.Random) -> None:
    text = json.dumps(_changed(json.loads(path.read_text(encoding="utf-8")), source))
    if source.random() < 0.1:
        numbers = list(re.finditer(r"\d+", text)) or [re.match("", text)]
        found = source.choice(numbers)
        assert found is not None
        text = text[: found.start()] + source.choice(("9" * 5000, "[" * 9000, "1e400")) + "]"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")


def _changed(value: Any, source: random.Random) -> Any:
    """The same with something inside of it replaced, left out or added."""
    places: list[tuple[Any, Any]] = []
    _collect(value, places)
    if not places or source.random() < 0.03:
        return source.choice(_VALUES)
    for _ in range(source.choice((1, 1, 1, 3))):
        holder, key = source.choice(places)
        try:
            if source.random() < 0.2:
                del holder[key]
            else:
                holder[key] = source.choice(_VALUES)
        except (IndexError, KeyError):
            continue
    return value


def _collect(value: Any, places: list[tuple[Any, Any]]) -> None:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in items:
        places.append((value, key))
        if isinstance(one, dict | list):
            _collect(one, places)


def _tensors(path: Path, source: random.Random) -> None:
    """The header of a checkpoint: its size, its shapes, its state."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    if source.random() < 0.5:
        state = _changed(json.loads(header["__metadata__"]["state"]), source)
        header["__metadata__"]["state"] = json.dumps(state)
    else:
        header = _changed(header, source)
    text = json.dumps(header).encode("utf-8", "surrogatepass")
    claimed = len(text) if source.random() < 0.9 else source.choice((0, 2**40, 2**64 - 1))
    path.write_bytes(claimed.to_bytes(8, "little") + text + content[8 + size :])


_SPEECH = (
    "UPDATE frames SET step = :v WHERE id % 7 = :n", "UPDATE frames SET data = zeroblob(200000)",
    "UPDATE frames SET layout = :v WHERE id = :n", "UPDATE pulses SET data = zeroblob(17000000)",
    "UPDATE pulses SET last_step = :v", "DELETE FROM layouts", "UPDATE layouts SET id = :n",
    "DROP TABLE frames", "CREATE VIEW v AS SELECT * FROM v", "DROP INDEX frames_step",
    "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM meta; END",
    "PRAGMA user_version = 77", "PRAGMA application_id = 5", "PRAGMA journal_mode = WAL",
    "INSERT INTO frames(step, level, layout, crc, data) SELECT step, :v, layout, crc, data "
    "FROM frames", "UPDATE events SET data = :v", "UPDATE meta SET data = :v, key = :n",
    "DROP TABLE epochs; CREATE VIEW epochs AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL "
    "SELECT id + 1 FROM c) SELECT id, 1 step, 0 crc, '{}' data FROM c",
)  # fmt: skip


def _database(path: Path, source: random.Random) -> None:
    """Rows that are wrong although their checksums are right, and wrong schemas."""
    with sqlite3.connect(path) as db:
        try:
            if source.random() < 0.5:
                _forge(db, source)
            else:
                values = [v for v in _VALUES if isinstance(v, int | float) and abs(v) < 2**63]
                given = {"v": source.choice([*values, "x", b"\xff"]), "n": source.randrange(4)}
                for one in source.choice(_SPEECH).split("; "):
                    db.execute(one, {key: given[key] for key in given if f":{key}" in one})
        except sqlite3.Error:
            path.touch()
    db.close()


def _forge(db: sqlite3.Connection, source: random.Random) -> None:
    table = source.choice(("meta", "layouts", "epochs", "events", "frames"))
    if table == "frames":
        number, step, level, layout, data = source.choice(
            db.execute("SELECT id, step, level, layout, data FROM frames").fetchall()
        )
        data = _bytes(data, source)
        row = (data, frame_checksum(data, step, level, layout), number)
        db.execute("UPDATE frames SET data = ?, crc = ? WHERE id = ?", row)
        return
    keyed = {"meta": "key", "epochs": "step", "events": "step"}.get(table)
    column = keyed or "id"
    key, text = source.choice(db.execute(f"SELECT {column}, data FROM {table}").fetchall())
    changed = json.dumps(_changed(json.loads(text), source))
    crc = checksum(changed, key) if keyed else checksum(changed)
    db.execute(f"UPDATE {table} SET data = ?, crc = ? WHERE {column} = ?", (changed, crc, key))
