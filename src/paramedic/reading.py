"""Files from strangers, read within bounds: bytes, values, depth.

What cannot be read gives one `Unreadable` that names the file and what is wrong with it, in less
than a second and with less than 200 MB of memory, whatever the file asks for.
"""

from __future__ import annotations

import json
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

MOST_JSON = 12 * 2**20  # bytes
MOST_VALUES = 1_500_000  # of which a JSON text is made; an empty one takes 64 bytes of memory
MOST_TOML = 2**19
# Of more than 32 parts: it takes the square of their number in time.
_LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]{0,200}+"|'[^'\n]{0,200}+')[ \t]*+\.[ \t]*+){32}"""
)


class Unreadable(ValueError):
    """A file that is not what it should be."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"`{path}` {problem}")
        self.path = path


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file of at most so many bytes; a missing one is an `OSError`."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise Unreadable(path, "is not a regular file.")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        size = f"{max(found.st_size, len(content)) / 2**20:.1f} MB"
        raise Unreadable(path, f"is too large: {size}, at most {most / 2**20:g} MB are read.")
    return content


def read_text(path: Path, most: int) -> str:
    """The same as text."""
    try:
        return read_bytes(path, most).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(path, f"is damaged: it is not UTF-8 ({error.reason}).") from error


def read_json(path: Path) -> Any:
    """Any JSON value."""
    try:
        return parse_json(read_text(path, MOST_JSON))
    except Unreadable:
        raise
    except ValueError as error:
        raise Unreadable(path, f"is damaged: {error}.") from error


def read_object(path: Path) -> dict[str, Any]:
    """A JSON object."""
    found = read_json(path)
    if not isinstance(found, dict):
        raise Unreadable(path, "is damaged: it is not a JSON object.")
    return found


def parse_json(text: str) -> Any:
    """Any JSON value (and NaN or Infinity, which a loss may be), or `ValueError`."""
    values = sum(map(text.count, ",:[{"))
    if len(text) > MOST_JSON or values > MOST_VALUES:
        raise ValueError(f"the JSON is too large: {len(text)} characters, about {values} values")
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"bad JSON: {error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML table."""
    text = read_text(path, MOST_TOML)
    try:
        return parse_toml(text)
    except ValueError as error:
        raise Unreadable(path, f"is not valid TOML: {error}.") from error


def parse_toml(text: str) -> dict[str, Any]:
    """A TOML table, or `ValueError`."""
    if _LONG_KEY.search(text):
        raise ValueError("a key has more than 32 parts")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
