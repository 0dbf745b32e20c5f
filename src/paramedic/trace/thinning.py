"""Keeping a long run within its size: an even share of its steps remains.

One round divides the run into stretches of equal length, about three for four entries, and keeps
one entry of each; so what was thinned before and is sparse already is left as it is. The first
and the last steps are kept, and so is every loss that is not finite, unless most of them are not.
Epochs and events are never thinned.
"""

from __future__ import annotations

import json
import math
import sqlite3
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.trace.codec import FINITE, PULSE, pulse_row
from paramedic.trace.schema import CHUNK

# One round leaves about three quarters of a file that is full of frames: one is then enough, and
# the next is due only after another fifth of the limit has been written.
TARGET = 0.8
_SHARE = 0.75  # of the entries, when they are spread evenly
_PROGRESS = 0.98  # of the size before; a round that leaves more has found nothing to take out
_FIRST, _LAST = 32, 128  # frames that are kept at both ends
_FIRST_BEATS, _LAST_BEATS = 512, 4096
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
            yield from one_round(db)
            if used_bytes(db) < _PROGRESS * used:
                break
        else:
            return


class _Stretches:
    """Which of the entries that pass by in order are kept: the first of each stretch."""

    def __init__(self, begin: int, end: int, count: float) -> None:
        self._begin = begin
        self._length = max((end - begin + 1) / max(_SHARE * count, 1.0), 1e-9)
        self._last = -1

    def begins(self, step: int) -> bool:
        stretch = int((step - self._begin) / self._length)
        if stretch == self._last:
            return False
        self._last = stretch
        return True


def _thin_frames(db: sqlite3.Connection) -> Iterator[None]:
    (count,) = db.execute("SELECT count(*) FROM frames").fetchone()
    if count < 2 * (_FIRST + _LAST):
        return
    edge = "SELECT step, id FROM frames ORDER BY step {0}, id {0} LIMIT 1 OFFSET ?"
    last = db.execute(edge.format("ASC"), (_FIRST - 1,)).fetchone()
    end = db.execute(edge.format("DESC"), (_LAST - 1,)).fetchone()
    levels = "SELECT level, count(*) FROM frames GROUP BY level"
    inner = 1 - (_FIRST + _LAST) / count
    stretches = {
        level: _Stretches(last[0], end[0], inner * found)
        for level, found in db.execute(levels).fetchall()
    }
    losses = _places_of_losses(db)
    rows_per_slice = max(16, _SLICE_BYTES * count // used_bytes(db))
    select = (
        "SELECT id, step, level, layout, crc, data FROM frames "
        "WHERE (step, id) > (?, ?) AND (step, id) < (?, ?) ORDER BY step, id LIMIT ?"
    )
    while rows := db.execute(select, (*last, *end, rows_per_slice)).fetchall():
        last = (rows[-1][1], rows[-1][0])
        _replace_frames(db, rows, _kept(rows, stretches, losses))
        yield


def _kept(
    rows: list[tuple[Any, ...]], stretches: dict[str, _Stretches], losses: dict[int, int]
) -> list[tuple[Any, ...]]:
    """Counted for each level: where `vitals` and `full` alternate, neither may vanish."""
    special = [not _has_finite_loss(row, losses) for row in rows]
    if sum(special) > len(rows) / 2:
        special = [False] * len(rows)
    chosen = [stretches[row[2]].begins(row[1]) for row in rows]
    return [row for row, one, other in zip(rows, chosen, special, strict=True) if one or other]


def _places_of_losses(db: sqlite3.Connection) -> dict[int, int]:
    """Where the loss is in the frames of each layout that has one."""
    places = {}
    for number, text in db.execute("SELECT id, data FROM layouts").fetchall():
        scalars = json.loads(text)["scalars"]
        if "loss" in scalars:
            places[number] = 8 * scalars.index("loss")
    return places


def _has_finite_loss(row: tuple[Any, ...], losses: dict[int, int]) -> bool:
    place = losses.get(row[3])
    return place is None or math.isfinite(struct.unpack_from("<d", row[5], place)[0])


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
    count = _pulse_bytes(db) // PULSE.itemsize
    if count < 2 * (_FIRST_BEATS + _LAST_BEATS):
        return
    begin, end = db.execute("SELECT min(first_step), max(last_step) FROM pulses").fetchone()
    stretches = _Stretches(begin, end, count)
    select = "SELECT id, data FROM pulses WHERE id > ? ORDER BY id LIMIT ?"
    done, last = 0, 0
    while done < count - _LAST_BEATS:
        rows = db.execute(select, (last, _SLICE_CHUNKS)).fetchall()
        beats = np.frombuffer(b"".join(data for _, data in rows), PULSE)
        kept = _kept_beats(beats, stretches)
        kept[: max(_FIRST_BEATS - done, 0)] = True
        kept[max(count - _LAST_BEATS - done, 0) :] = True
        done, last = done + len(beats), rows[-1][0]
        _replace_pulses(db, rows[0][0], last, beats[kept])
        yield


def _kept_beats(beats: NDArray[np.void], stretches: _Stretches) -> NDArray[np.bool_]:
    special = ~np.isfinite(beats["loss"]) | (beats["flags"] & FINITE == 0)
    if 2 * special.sum() > len(beats):
        special[:] = False
    chosen = [stretches.begins(step) for step in beats["step"].tolist()]
    kept: NDArray[np.bool_] = np.array(chosen, np.bool_) | special
    return kept


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
