"""The file format: one SQLite database per run.

| table     | one row is                                                                      |
|-----------|---------------------------------------------------------------------------------|
| `meta`    | one JSON value by name; `chart` is the `Chart` of the run                       |
| `layouts` | the names behind the numbers of a frame, once per kind of frame (JSON)          |
| `frames`  | one `Frame`: float64 scalars, then a float32 matrix [statistic, layer]          |
| `pulses`  | up to `CHUNK` heartbeats: int64 step, float64 loss, uint8 flags, little-endian  |
| `epochs`  | one `Epoch` (JSON)                                                              |
| `events`  | one `Event` (JSON)                                                              |

Every row carries the CRC-32 of its content, because SQLite has no checksums of its own in the
main file: a damaged number is reported as damage, never diagnosed as a sick network.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

APPLICATION_ID = 0x50724D64  # "PrMd": tells a trace from any other SQLite file
VERSION = 1
CHUNK = 512  # heartbeats per row

OBJECTS = {
    "meta": "CREATE TABLE meta(key TEXT PRIMARY KEY, crc INTEGER NOT NULL, data TEXT NOT NULL)",
    "layouts": (
        "CREATE TABLE layouts(id INTEGER PRIMARY KEY, crc INTEGER NOT NULL, data TEXT NOT NULL)"
    ),
    "frames": (
        "CREATE TABLE frames(id INTEGER PRIMARY KEY AUTOINCREMENT, step INTEGER NOT NULL, "
        "level TEXT NOT NULL, layout INTEGER NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL)"
    ),
    "frames_step": "CREATE INDEX frames_step ON frames(step)",
    "pulses": (
        "CREATE TABLE pulses(id INTEGER PRIMARY KEY, first_step INTEGER NOT NULL, "
        "last_step INTEGER NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL)"
    ),
    "epochs": (
        "CREATE TABLE epochs(id INTEGER PRIMARY KEY, step INTEGER NOT NULL, "
        "crc INTEGER NOT NULL, data TEXT NOT NULL)"
    ),
    "events": (
        "CREATE TABLE events(id INTEGER PRIMARY KEY, step INTEGER NOT NULL, "
        "crc INTEGER NOT NULL, data TEXT NOT NULL)"
    ),
}


def checksum(data: str | bytes | bytearray, *keys: object) -> int:
    """The CRC-32 of a row: its content and the other columns that say what the content is."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    return zlib.crc32(data, zlib.crc32(repr(keys).encode()))


def frame_checksum(data: bytes | bytearray, step: int, level: str, layout: object) -> int:
    """`checksum(data, step, level, layout)`, quicker: there are few levels and layouts."""
    return zlib.crc32(data, zlib.crc32(b"(%d, %s" % (step, _shown(level, layout))))


@lru_cache(maxsize=64)
def _shown(level: str, layout: object) -> bytes:
    return repr((level, layout))[1:].encode()
