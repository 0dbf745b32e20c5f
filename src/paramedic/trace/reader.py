"""The reading end of a trace: of a finished run, or of one that is still going on."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from paramedic.reading import parse_json
from paramedic.trace import validation
from paramedic.trace.codec import MOST_CELLS, Layout, decode_pulse, unpack_pulse
from paramedic.trace.database import READ_ERRORS, open_read_only, size_on_disk
from paramedic.trace.errors import TraceError
from paramedic.trace.history import History
from paramedic.trace.schema import checksum, frame_checksum
from paramedic.types import Chart, Epoch, Event, Frame, Pulse, Window

T = TypeVar("T")
_Row = tuple[Any, ...]
Blob = tuple[int, int, str, Layout, bytes]  # row, step, level, layout, blob

_FIRST, _LAST = -(2**63), 2**63 - 1  # of a SQLite integer
_PAGE = 64  # rows per query: short transactions neither block a writer nor let its log grow
_PAGE_BYTES = 2**23
_SECONDS = 4.0  # for one query
_OPERATIONS = 20_000  # of SQLite between two looks at the clock
_SMALL = 2**24  # bytes that are no reason for suspicion
_MOST_RECORDS = 100_000  # epochs, or events
_MOST_TEXT = 2**25  # bytes of them
_PULSES = 4096  # heartbeats in a window, as `History` has by default


class Trace:
    """A recorded run, opened with `Trace.open(path)`; close it, or use it in a `with` statement.

    Nothing is kept in memory: each call asks the file, and so sees what a writer in this or
    another process has committed meanwhile. The file is data from a stranger: whatever in it is
    not as Paramedic writes it raises `TraceError`, and nothing in it is ever executed.
    """

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db
        self._layouts: dict[int, Layout] = {}
        self._end = 0.0  # when the query under way has taken too long
        self._size = 0  # of the file, when it was last asked
        db.set_progress_handler(lambda: time.monotonic() > self._end, _OPERATIONS)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Opens the file read-only, whether or not a writer is appending to it."""
        found = Path(path)
        return cls(found, open_read_only(found))

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        """The number of frames."""
        return int(self._query("SELECT count(*) FROM frames")[0][0])

    @property
    def chart(self) -> Chart:
        """The newest chart; an empty one if none was recorded."""
        text = self._meta_text("chart")
        return Chart() if text is None else self._valid("chart", validation.build, Chart, text)

    @property
    def first_chart(self) -> Chart:
        """The chart that the run began with; events of the kind `chart` tell how it changed."""
        text = self._meta_text("first_chart")
        if text is None:
            return self.chart
        chart: Chart = self._valid("first chart", validation.build, Chart, text)
        return chart

    def chart_of(self, event: Event) -> Chart:
        """The chart that an event of the kind `chart` tells of."""
        where, text = f"the chart of step {event.step}", json.dumps(event.data)
        chart: Chart = self._valid(where, validation.build, Chart, text)
        return chart

    def meta(self, key: str, default: Any = None) -> Any:
        """A value recorded with `Writer.meta`."""
        text = self._meta_text(key)
        return default if text is None else self._valid(f"meta `{key}`", parse_json, text)

    @property
    def epochs(self) -> tuple[Epoch, ...]:
        """All epochs, in the order they were recorded."""
        return self._records("epochs", Epoch)

    @property
    def events(self) -> tuple[Event, ...]:
        """All events, in the order they were recorded."""
        return self._records("events", Event)

    @property
    def steps(self) -> NDArray[np.int64]:
        """The step of each frame."""
        rows = self._rows("SELECT step FROM frames ORDER BY step, id")
        return np.fromiter((self._integer(step) for (step,) in rows), np.int64)

    @property
    def last_step(self) -> int:
        """The newest step of which anything is known, or -1."""
        select = (
            "SELECT max(ifnull((SELECT max(step) FROM frames), -1), "
            "ifnull((SELECT max(last_step) FROM pulses), -1))"
        )
        return self._integer(self._query(select)[0][0])

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The kinds of frames in this trace: which statistics they have, and of how many layers."""
        rows = self._query("SELECT id FROM layouts ORDER BY id")
        return tuple(self._layout(number) for (number,) in rows)

    def frames(
        self, start: int | None = None, stop: int | None = None, level: str | None = None
    ) -> Iterator[Frame]:
        """The frames with `start <= step < stop`, in order; of one level, if it is named.

        They are read as they are asked for, so a trace of any length fits in memory.
        """
        for number, step, kind, layout, data in self.blobs(start, stop, level):
            yield self._valid(f"row {number} of `frames`", layout.decode, step, kind, data)

    def blobs(
        self, start: int | None = None, stop: int | None = None, level: str | None = None
    ) -> Iterator[Blob]:
        """The frames as they lie in the file: row, step, level, layout, blob."""
        for page in self.pages(start, stop, level):
            yield from page

    def pages(
        self, start: int | None = None, stop: int | None = None, level: str | None = None
    ) -> Iterator[list[Blob]]:
        """The same, as many at a time as are read together."""
        low, high = _range(start, stop)
        select = (
            "SELECT id, step, level, layout, crc, data FROM frames "
            "WHERE (step, id) > (?, ?) AND step < ? AND ifnull(level = ?, 1) "
            "ORDER BY step, id LIMIT ?"
        )
        last, taken = (low, _FIRST), 0
        while rows := self._page(select, *last, high, level, _PAGE):
            places = [last, *((row[1], row[0]) for row in rows)]
            if any(place <= before for before, place in pairwise(places)):
                # A damaged index could lead in circles.
                raise TraceError(self.path, "is damaged: its frames are out of order.")
            last = places[-1]
            taken += sum(map(_bytes, rows))
            self._afford(taken)
            yield [self._blob(row) for row in rows]

    def pulse(self, start: int | None = None, stop: int | None = None) -> Pulse:
        """The heartbeats with `start <= step < stop`."""
        low, high = _range(start, stop)
        select = (
            "SELECT id, first_step, last_step, crc, data FROM pulses "
            "WHERE id > ? AND last_step >= ? AND first_step < ? ORDER BY id LIMIT ?"
        )
        chunks, last, taken = [], _FIRST, 0
        while rows := self._page(select, last, low, high, _PAGE):
            taken += sum(map(_bytes, rows))
            self._afford(taken)
            for row in rows:
                beats = self._beats(row)
                chunks.append(beats[(beats["step"] >= low) & (beats["step"] < high)])
                if row[0] <= last:
                    raise TraceError(self.path, "is damaged: its pulses are out of order.")
                last = row[0]
        return unpack_pulse(chunks)

    def window(self, step: int | None = None, size: int = 64) -> Window:
        """What the detectors saw at this step: the last `size` frames at or before it.

        Equal to the window of the live run, if the step is one that was looked at; the chart is
        the newest one, so a layer added later is there with NaN. Without a step: the newest.
        """
        _, high = _range(None, None if step is None else step + 1)
        history = History(size, _PULSES)
        history.set_chart(self.chart)
        for frame in self._newest_frames(high, size):
            history.add_frame(frame)
        pulse = self._newest_pulse(high)
        for beat in zip(*(column.tolist() for column in _columns(pulse)), strict=True):
            history.add_pulse(*beat)
        for epoch in self.epochs:
            if epoch.step < high:
                history.add_epoch(epoch)
        for event in self.events:
            if event.step < high:
                history.add_event(event)
        return history.window()

    def _newest_frames(self, high: int, size: int) -> list[Frame]:
        select = (
            "SELECT id, step, level, layout, crc, data FROM frames "
            "WHERE step < ? ORDER BY step DESC, id DESC LIMIT ?"
        )
        frames = [self._frame(row) for row in self._query(select, high, size)]
        names = {name for frame in frames for name in frame.layers}
        width = max((len(row) for frame in frames for row in frame.layers.values()), default=0)
        needed = 8 * size * len(names) * width  # a `History` has twice the rows, of float32
        room = 16 * size_on_disk(self.path) + 4 * _SMALL
        if len(names) * width > MOST_CELLS or needed > room:
            cells = f"{len(names)} statistics x {width} layers"
            raise TraceError(self.path, f"has frames too large to be judged together: {cells}.")
        return frames[::-1]

    def _newest_pulse(self, high: int) -> Pulse:
        select = (
            "SELECT id, first_step, last_step, crc, data FROM pulses "
            "WHERE id < ? AND first_step < ? ORDER BY id DESC LIMIT 1"
        )
        chunks: list[NDArray[np.void]] = []
        first, missing = _LAST, _PULSES
        while missing > 0 and (rows := self._query(select, first, high)):
            beats = self._beats(rows[0])
            chunks.insert(0, beats[beats["step"] < high])
            first, missing = rows[0][0], missing - len(chunks[0])
        return unpack_pulse(chunks)

    def _frame(self, row: _Row) -> Frame:
        number, step, level, layout, data = self._blob(row)
        return self._valid(f"row {number} of `frames`", layout.decode, step, level, data)

    def _blob(self, row: _Row) -> Blob:
        number, step, level, layout, crc, data = row
        if not (isinstance(step, int) and isinstance(level, str) and isinstance(data, bytes)):
            where = f"row {number} of `frames`"
            raise TraceError(self.path, f"is damaged: {where} has a value of the wrong type.")
        if frame_checksum(data, step, level, layout) != crc:
            where = f"row {number} of `frames`"
            raise TraceError(self.path, f"is damaged: {where} does not match its checksum.")
        return number, step, level, self._layout(layout), data

    def _beats(self, row: _Row) -> NDArray[np.void]:
        number, first, last, crc, data = row
        where = f"row {number} of `pulses`"
        if not isinstance(data, bytes):
            raise TraceError(self.path, f"is damaged: {where} has a value of the wrong type.")
        self._intact(where, crc, data, first, last)
        return self._valid(where, decode_pulse, data)

    def _layout(self, number: Any) -> Layout:
        known = self._layouts.get(number)
        if known is not None:
            return known
        rows = self._query("SELECT crc, data FROM layouts WHERE id = ?", number)
        if not rows:
            raise TraceError(self.path, f"is damaged: layout {number!r} is missing.")
        where = f"row {number} of `layouts`"
        layout = self._valid(where, _parse_layout, self._text(where, *rows[0]))
        self._layouts[number] = layout
        return layout

    def _records(self, table: str, kind: type[Any]) -> tuple[Any, ...]:
        select = f"SELECT id, step, crc, data FROM {table} WHERE id > ? ORDER BY id LIMIT ?"
        size = f"SELECT count(*), total(length(data)) FROM {table}"
        count, length = self._query(size)[0]
        if count > _MOST_RECORDS or length > _MOST_TEXT:
            found = f"{count} of {length / 2**20:.0f} MB, at most {_MOST_RECORDS} are read"
            raise TraceError(self.path, f"has too many {table}: {found}.")
        records: list[Any] = []
        last, taken = _FIRST, 0
        while rows := self._page(select, last, _PAGE):
            taken += sum(map(_bytes, rows))
            self._afford(taken)
            for number, step, crc, data in rows:
                where = f"row {number} of `{table}`"
                text = self._text(where, crc, data, step)
                records.append(self._valid(where, validation.build, kind, text))
                if number <= last:
                    raise TraceError(self.path, f"is damaged: its {table} are out of order.")
                last = number
        return tuple(records)

    def _meta_text(self, key: str) -> str | None:
        rows = self._query("SELECT crc, data FROM meta WHERE key = ?", key)
        return self._text(f"meta `{key}`", *rows[0], key) if rows else None

    def _text(self, where: str, crc: Any, data: Any, *keys: Any) -> str:
        if not isinstance(data, str):
            raise TraceError(self.path, f"is damaged: {where} has a value of the wrong type.")
        self._intact(where, crc, data, *keys)
        return data

    def _intact(self, where: str, crc: Any, data: str | bytes, *keys: Any) -> None:
        if checksum(data, *keys) != crc:
            raise TraceError(self.path, f"is damaged: {where} does not match its checksum.")

    def _integer(self, value: Any) -> int:
        if not isinstance(value, int):
            raise TraceError(self.path, f"is damaged: {value!r} is not a step.")
        return value

    def _valid(self, where: str, make: Callable[..., T], *args: Any) -> T:
        try:
            return make(*args)
        except ValueError as error:
            raise TraceError(self.path, f"is damaged: {where} is invalid: {error}.") from error

    def _query(self, select: str, *values: object) -> list[_Row]:
        """All rows, which may not be more than the file holds."""
        rows, taken = [], 0
        for row in self._rows(select, *values):
            taken += _bytes(row)
            self._afford(taken)
            rows.append(row)
        return rows

    def _page(self, select: str, *values: object) -> list[_Row]:
        """The first rows, at least one if there is any: no more than go into memory together."""
        rows, taken = [], 0
        for row in self._rows(select, *values):
            rows.append(row)
            taken += _bytes(row)
            if taken > _PAGE_BYTES:
                break
        return rows

    def _rows(self, select: str, *values: object) -> Iterator[_Row]:
        self._end = time.monotonic() + _SECONDS
        try:
            cursor = self._db.execute(select, values)
            try:
                for row in cursor:  # noqa: UP028 - `yield from` closes the cursor, in its own way
                    yield row
            finally:
                with suppress(sqlite3.Error):  # it may be closed already, with the trace
                    cursor.close()
        except READ_ERRORS as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
                problem = f"takes more than {_SECONDS:g} s to read."
                raise TraceError(self.path, problem) from error
            raise TraceError(self.path, f"cannot be read: {error}.") from error

    def _afford(self, taken: int) -> None:
        """A file that gives more than it holds gives the same pages again and again."""
        if taken <= 2 * self._size + _SMALL:
            return
        self._size = size_on_disk(self.path)
        if taken > 2 * self._size + _SMALL:
            raise TraceError(self.path, "is damaged: it gives more data than it has bytes.")


def _bytes(row: _Row) -> int:
    return sum(len(value) for value in row if isinstance(value, bytes | str))


def _parse_layout(text: str) -> Layout:
    data = parse_json(text)
    found = data if isinstance(data, dict) else {}
    width = found.get("width")
    if type(width) is not int:
        raise ValueError(f"`width` is {width!r}, not an integer")
    return Layout(_names(found.get("scalars")), _names(found.get("layers")), width)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("`scalars` and `layers` must be lists of names")
    return tuple(value)


def _range(start: int | None, stop: int | None) -> tuple[int, int]:
    low = _FIRST if start is None else start
    high = _LAST if stop is None else stop
    return min(max(low, _FIRST), _LAST), min(max(high, _FIRST), _LAST)


def _columns(pulse: Pulse) -> tuple[NDArray[Any], ...]:
    return pulse.step, pulse.loss, pulse.finite, pulse.skipped
