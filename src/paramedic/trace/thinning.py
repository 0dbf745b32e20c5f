"""Keeping a long run within its size: the older a frame, the fewer of its neighbours remain.

One round deletes every second entry of the older half. Repeated as the run grows, that leaves
the past thinned by powers of two and the present complete. Epochs and events are never thinned.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from paramedic.trace.codec import PULSE, pulse_row
from paramedic.trace.schema import CHUNK

# One round leaves about 76 % of a file that is full of frames: one is then enough, and the next
# is due only after another quarter of the limit has been written.
TARGET = 0.8
_FEWEST_FRAMES = 64  # below this a file is full of something that thinning frames cannot help
_FEWEST_BEATS = 8192
_SLICE_BYTES = 2**20  # rewritten per transaction: bounds memory and the write-ahead log
_SLICE_CHUNKS = 8


def used_bytes(db: sqlite3.Connection) -> int:
    """The size of the pages in use; free pages will be used again before the file grows."""
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (free,) = db.execute("PRAGMA freelist_count").fetchone()
    (size,) = db.execute("PRAGMA page_size").fetchone()
    return int((pages - free) * size)


def thin(db: sqlite3.Connection, limit: int) -> Iterator[None]:
    """Brings the used size under `TARGET` of the limit, if frames and pulse can do that.

    A slice at a time: the writer takes one step with each commit, so that no training step waits
    for the whole. Each round takes the larger of frames and pulse, so that neither is emptied for
    the sake of the other.
    """
    while (used := used_bytes(db)) > TARGET * limit:
        rounds = [_thin_frames, _thin_pulses]
        if _pulse_bytes(db) > used / 2:
            rounds.reverse()
        for one_round in rounds:
            slices = 0
            for _ in one_round(db):
                slices += 1
                yield
            if slices:
                break
        else:
            return


def _thin_frames(db: sqlite3.Connection) -> Iterator[None]:
    (count,) = db.execute("SELECT count(*) FROM frames").fetchone()
    if count < 2 * _FEWEST_FRAMES:
        return
    middle = "SELECT step, id FROM frames ORDER BY step, id LIMIT 1 OFFSET ?"
    end = db.execute(middle, (count // 2,)).fetchone()
    rows_per_slice = max(16, _SLICE_BYTES * count // used_bytes(db))
    select = (
        "SELECT id, step, level, layout, crc, data FROM frames "
        "WHERE (step, id) > (?, ?) AND (step, id) < (?, ?) ORDER BY step, id LIMIT ?"
    )
    seen: Counter[str] = Counter()
    last = (-(2**63), 0)
    while rows := db.execute(select, (*last, *end, rows_per_slice)).fetchall():
        last = (rows[-1][1], rows[-1][0])
        _replace_frames(db, rows, _every_second(rows, seen))
        yield


def _every_second(rows: list[tuple[object, ...]], seen: Counter[str]) -> list[tuple[object, ...]]:
    """Counted for each level: where `vitals` and `full` alternate, neither may vanish."""
    kept = []
    for row in rows:
        level = str(row[2])
        if seen[level] % 2 == 0:
            kept.append(row)
        seen[level] += 1
    return kept


def _replace_frames(
    db: sqlite3.Connection, rows: list[tuple[object, ...]], kept: list[tuple[object, ...]]
) -> None:
    # Deleting single rows leaves half-empty pages, which SQLite neither merges nor frees. Taking
    # out the whole slice frees its pages, and what is put back fills as few as it needs.
    with db:
        db.execute("BEGIN IMMEDIATE")
        db.executemany("DELETE FROM frames WHERE id = ?", [(row[0],) for row in rows])
        db.executemany(
            "INSERT INTO frames(id, step, level, layout, crc, data) VALUES (?, ?, ?, ?, ?, ?)", kept
        )


def _pulse_bytes(db: sqlite3.Connection) -> int:
    (size,) = db.execute("SELECT ifnull(sum(length(data)), 0) FROM pulses").fetchone()
    return int(size)


def _thin_pulses(db: sqlite3.Connection) -> Iterator[None]:
    size = _pulse_bytes(db)
    if size < 2 * _FEWEST_BEATS * PULSE.itemsize:
        return
    select = "SELECT id, data FROM pulses WHERE id > ? ORDER BY id LIMIT ?"
    done, last = 0, 0
    while done < size / 2:
        rows = db.execute(select, (last, _SLICE_CHUNKS)).fetchall()
        blob = b"".join(data for _, data in rows)
        done, last = done + len(blob), rows[-1][0]
        _replace_pulses(db, rows[0][0], last, np.frombuffer(blob, PULSE)[::2])
        yield


def _replace_pulses(db: sqlite3.Connection, first: int, last: int, beats: NDArray[np.void]) -> None:
    """Merged into full chunks, which are fewer than the rows they replace, so the ids suffice."""
    chunks = [beats[start : start + CHUNK] for start in range(0, len(beats), CHUNK)]
    with db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM pulses WHERE id BETWEEN ? AND ?", (first, last))
        db.executemany(
            "INSERT INTO pulses(id, first_step, last_step, crc, data) VALUES (?, ?, ?, ?, ?)",
            [(first + index, *pulse_row(chunk)) for index, chunk in enumerate(chunks)],
        )
