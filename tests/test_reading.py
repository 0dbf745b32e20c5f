"""Files that ask for more than they hold are refused in less than a second."""

from __future__ import annotations

import os
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from paramedic.reading import (
    MOST_JSON,
    MOST_TOML,
    Unreadable,
    parse_json,
    parse_toml,
    read_bytes,
    read_json,
    read_object,
    read_toml,
)

SECONDS, BYTES = 1.0, 200 * 2**20

JSON_BOMBS = {
    "deep": "[" * 5_000_000,
    "deep objects": '{"a":' * 1_000_000,
    "many lists": "[" + "[]," * 4_000_000 + "[]]",
    "many objects": "[" + "{}," * 3_000_000 + "{}]",
    "a huge number": "9" * 10_000_000,
    "too large": '"' + "x" * 2 * MOST_JSON + '"',
}
TOML_BOMBS = {
    "deep": "a = " + "[" * 200_000,
    "a long key": ".".join("a" * 100_000) + " = 1",
    "a long header": "[" + ".".join("a" * 100_000) + "]",
    "a long quoted key": ".".join(['"a"'] * 50_000) + " = 1",
    "a huge number": "a = " + "9" * 400_000,
    "too large": "a = 1\n" * MOST_TOML,
    "one long word": "a" * 400_000,
    "quotes": '"' * 400_001,
}


def _refused(read: Callable[[Path], object], path: Path, content: str) -> str:
    path.write_text(content)
    begin = time.process_time()
    with pytest.raises(Unreadable, match=path.name) as caught:
        read(path)
    assert time.process_time() - begin < SECONDS
    tracemalloc.start()
    with pytest.raises(Unreadable):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < BYTES
    return str(caught.value)


@pytest.mark.parametrize("name", JSON_BOMBS)
def test_json_that_asks_for_too_much(tmp_path: Path, name: str) -> None:
    message = _refused(read_json, tmp_path / "told.json", JSON_BOMBS[name])
    assert len(message) < 500


@pytest.mark.parametrize("name", TOML_BOMBS)
def test_toml_that_asks_for_too_much(tmp_path: Path, name: str) -> None:
    message = _refused(read_toml, tmp_path / "paramedic.toml", TOML_BOMBS[name])
    assert len(message) < 500


@pytest.mark.parametrize("content", ["", "{", "[]", "5", '{"a": 1} x'])
def test_what_is_no_object(tmp_path: Path, content: str) -> None:
    (tmp_path / "told.json").write_text(content)
    with pytest.raises(Unreadable, match=r"told.json` is damaged"):
        read_object(tmp_path / "told.json")


def test_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "told.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(Unreadable, match="not UTF-8"):
        read_json(tmp_path / "told.json")


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path, tmp_path / "pipe.json", Path("/dev/zero")):
        with pytest.raises(Unreadable, match="not a regular file"):
            read_bytes(path, 10)


def test_what_is_missing_is_for_the_caller(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "told.json")


def test_what_is_sound_is_read(tmp_path: Path) -> None:
    (tmp_path / "told.json").write_text('{"a": [1, NaN, "x.y"]}')
    assert list(read_object(tmp_path / "told.json")) == ["a"]
    (tmp_path / "told.toml").write_text('a.b = 1\nc = "' + "d." * 20 + '"\n[e.f]\n')
    assert read_toml(tmp_path / "told.toml")["a"] == {"b": 1}
    assert parse_json("Infinity") == float("inf")
    assert parse_toml("value = 3") == {"value": 3}
