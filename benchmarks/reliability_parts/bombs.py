"""Small files that ask for much: how fast they are refused, and what that takes."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from paramedic.cli.failing import is_clear
from paramedic.trace import Writer
from paramedic.trace.schema import checksum, frame_checksum
from paramedic.types import Frame
from tests.fuzz.formats import FORMATS, Format
from tests.test_reading import JSON_BOMBS, TOML_BOMBS

_FORMATS = {one.name: one for one in FORMATS}
_JSON = ("outcome", "trial", "study", "record")
_NUMBERS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < :count) "
_FRAMES, _WIDE = 64, 1_700_000  # 20 MB in one frame; as wide, all of them have 1.3 GB


def measure() -> dict[str, Any]:
    """All bombs, each read in a process of its own."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (form, name, write) in enumerate(_bombs()):
            place = Path(folder) / str(number)
            place.mkdir()
            form.write(place / form.file)
            write(place / form.file)
            size = (place / form.file).stat().st_size
            found.append({"name": f"{form.name}: {name}", "bytes": size, **_read(form, place)})
            (place / form.file).unlink()
    return {
        "bombs": len(found),
        "refused": sum(one["refused"] for one in found),
        "seconds": max(one["seconds"] for one in found),
        "megabytes": max(one["megabytes"] for one in found),
        "slowest": max(found, key=lambda one: one["seconds"])["name"],
        "largest": max(one["bytes"] for one in found),
        "not_refused": {one["name"]: one["said"] for one in found if not one["refused"]},
    }


def _read(form: Format, place: Path) -> dict[str, Any]:
    """Whether it was refused with an error that names it, the time of a processor and memory."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(_tried(form, place / form.file)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return dict(json.loads(told))


def _tried(form: Format, path: Path) -> dict[str, Any]:
    before, begin, said = _peak(), time.process_time(), "nothing"
    refused = False
    try:
        form.read(path)
    except Exception as error:  # noqa: BLE001 - which one is what is asked
        said = repr(error)[:300]
        refused = is_clear(error) and path.parent.name in str(error)
    seconds, megabytes = time.process_time() - begin, (_peak() - before) / 2**20
    return {"refused": refused, "seconds": seconds, "megabytes": megabytes, "said": said}


def _peak() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _bombs() -> Iterator[tuple[Format, str, Callable[[Path], object]]]:
    for form in _JSON:
        for name, text in JSON_BOMBS.items():
            yield _FORMATS[form], name, _text(text)
    for name, text in TOML_BOMBS.items():
        yield _FORMATS["settings"], name, _text(text)
    trace, checkpoint = _FORMATS["trace"], _FORMATS["checkpoint"]
    yield trace, "20 MB that ask for 1.3 GB", _wide
    yield trace, "150,000 events", lambda path: _records(path, "events")
    yield trace, "150,000 epochs", lambda path: _records(path, "epochs")
    yield (
        trace,
        "frames longer than any",
        lambda path: _forge(path, "UPDATE frames SET data = zeroblob(21000000) WHERE step < 3"),
    )
    yield trace, "a value that grows", lambda path: _value(path, "[" + "[]," * 4_000_000 + "[]]")
    yield checkpoint, "a header of 1 TB", lambda path: _header(path, 2**40)
    yield checkpoint, "a header of 20 MB", lambda path: _header(path, 20 * 2**20)


def _text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8")


def _wide(path: Path) -> None:
    path.unlink()
    writer = Writer(path)
    for step in range(_FRAMES - 1):
        writer.frame(Frame(step, "full", {}, {"a": np.zeros(1, np.float32)}))
    writer.close()
    text = json.dumps({"scalars": [], "layers": ["a", "b", "c"], "width": _WIDE})
    blob = bytes(4 * 3 * _WIDE)
    crc = frame_checksum(blob, 90, "full", 9)
    _forge(path, "INSERT INTO layouts VALUES (9, :crc, :text)", crc=checksum(text), text=text)
    insert = "INSERT INTO frames(step, level, layout, crc, data) VALUES (90, 'full', 9, :crc, :b)"
    _forge(path, insert, crc=crc, b=blob)


def _records(path: Path, table: str) -> None:
    text = '{"epoch":1,"step":1,"kind":"","message":"","values":{}}'
    insert = f"INSERT INTO {table}(step, crc, data) {_NUMBERS} SELECT 1, :crc, :text FROM c"
    _forge(path, insert, count=150_000, crc=checksum(text, 1), text=text)


def _value(path: Path, text: str) -> None:
    insert = "INSERT OR REPLACE INTO meta VALUES ('chart', :crc, :text)"
    _forge(path, insert, crc=checksum(text, "chart"), text=text)


def _forge(path: Path, statement: str, **values: object) -> None:
    db = sqlite3.connect(path)
    with db:
        db.execute(statement, values)
    db.close()


def _header(path: Path, claimed: int) -> None:
    with open(path, "wb") as file:
        file.write(claimed.to_bytes(8, "little"))
        file.write(b'{"a":[' + b"[]," * 100)
        file.truncate(21 * 2**20)
