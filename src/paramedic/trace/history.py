"""The rolling memory behind a `Window`, the same for a live run and for a recorded one.

A window shows views, not copies: at 50 statistics x 50 layers a copy of the frames costs as much
as everything else here together, and it grows with the model. The arrays hold twice the capacity
and are only appended to; when they are full the newest rows move to *new* arrays. So a window
stays what it was for as long as somebody holds it. The one exception is wanted: `amend_loss` also
corrects the newest row of a window that shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.trace.beats import Beats
from paramedic.trace.codec import Signature, pack_rows, signature
from paramedic.trace.losses import LossHistory
from paramedic.types import Chart, Epoch, Event, Frame, Pulse, Window

_EVENTS = 1000
_Index = dict[str, int]


@dataclass(slots=True, eq=False)
class Kind:
    """Where the numbers of one kind of frame go, and when such a frame was last seen."""

    signature: Signature
    scalars: slice | list[int]
    layers: slice | list[int]
    last: int = 0


class _Columns(Mapping[str, Any]):
    """Statistic to view, made when asked for: a detector looks at a few of them."""

    __slots__ = ("_array", "_index")

    def __init__(self, array: NDArray[Any], index: _Index) -> None:
        self._array = array
        self._index = index

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._array[:, self._index[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


class History:
    """Remembers the last `capacity` frames and the last `pulses` heartbeats of a run.

    `window()` gives them to the detectors. Statistics that a frame does not have are NaN in its
    row; a frame with fewer layers than the chart (some were added later) is padded with NaN.
    Memory is fixed but for the epochs; of the events the last 1000 are kept.
    """

    def __init__(self, capacity: int = 64, pulses: int = 4096) -> None:
        for name, value in (("capacity", capacity), ("pulses", pulses)):
            if value < 1:
                raise ValueError(f"`{name}` must be at least 1 but got {value}.")
        self._capacity = capacity
        self._beats = Beats(pulses)
        self._losses = LossHistory()
        self._chart = Chart()
        self._facts: dict[Any, Any] = {}  # what detectors derived from it
        self._framed: dict[Any, Any] = {}  # … and from the frames
        self._epochs: tuple[Epoch, ...] = ()
        self._events: tuple[Event, ...] = ()
        self._kinds: dict[Signature, Kind] = {}
        self._newest: Kind | None = None
        self._scalar_index: _Index = {}
        self._layer_index: _Index = {}
        self._recent: tuple[list[Kind], _Index, _Index] = ([], {}, {})
        self._width = 0
        self._total = 0  # frames ever seen
        self._end = 0  # the next free row
        self._steps = np.empty(0, np.int64)
        self._scalars = np.empty((0, 0), np.float64)
        self._layers = np.empty((0, 0, 0), np.float32)
        self._renew()

    def set_chart(self, chart: Chart) -> None:
        """The chart of the windows from now on; it may have more layers than the one before."""
        self._chart, self._facts, self._framed = chart, {}, {}
        if len(chart.layers) > self._width:
            self._width = len(chart.layers)
            self._renew()

    def add_frame(self, frame: Frame) -> None:
        """Appends a frame; `ValueError` if its arrays do not have one value per layer each."""
        self.add_frames((frame,))

    def add_frames(self, frames: Iterable[Frame]) -> None:
        """The same of several: neighbours of one kind cost hardly more than a single one."""
        for key, group in groupby(frames, signature):
            alike = list(group)
            blob = b"".join([pack_rows(frame.layers, key[2]) for frame in alike])
            rows = np.frombuffer(blob, np.float32).reshape(len(alike), len(key[1]) * key[2])
            scalars = np.array([[*frame.scalars.values()] for frame in alike], np.float64)
            self.add_rows(self.kind(key), [frame.step for frame in alike], scalars, rows)

    def kind(self, key: Signature) -> Kind:
        """The kind of frame that has this signature, for `add_rows`."""
        return self._kinds.get(key) or self._learn(key)

    def add_rows(
        self,
        kind: Kind,
        steps: Sequence[int],
        scalars: NDArray[np.float64],
        rows: NDArray[np.float32],
    ) -> None:
        """Appends frames of one kind as they lie in a file: a row of values for each."""
        done = 0
        while done < len(steps):
            if self._end == 2 * self._capacity:
                self._renew()
            start = self._end
            self._end = min(start + len(steps) - done, 2 * self._capacity)
            part = slice(done, done + self._end - start)
            self._steps[start : self._end] = steps[part]
            self._fill(kind, slice(start, self._end), scalars[part], rows[part])
            done = part.stop
        self._total += len(steps)
        self._framed = {}
        kind.last = self._total
        self._newest = kind

    def _fill(
        self, kind: Kind, at: slice, scalars: NDArray[np.float64], rows: NDArray[np.float32]
    ) -> None:
        names, layers, width = kind.signature
        if len(names) < len(self._scalar_index):
            self._scalars[at] = np.nan
        self._scalars[at, kind.scalars] = scalars
        if width < self._width or len(layers) < len(self._layer_index):
            self._layers[at] = np.nan
        if rows.size:
            self._layers[at, kind.layers, :width] = rows.reshape(len(rows), -1, width)

    def add_pulse(self, step: int, loss: float, finite: bool, skipped: bool) -> None:
        """Appends a heartbeat; called at every step."""
        self._beats.add(step, loss, finite, skipped)
        self._losses.add(loss, finite, skipped)

    def add_pulses(self, pulse: Pulse) -> None:
        """Appends many heartbeats."""
        self._beats.extend(pulse)
        self._losses.extend(pulse)

    def amend_loss(self, loss: float, finite: bool) -> bool:
        """Corrects the loss of the newest heartbeat, and of the newest frame if it is the same
        step; tells whether it is."""
        step = self._beats.amend(loss, finite)
        self._losses.amend(loss, finite)
        if self._newest is None or self._steps[self._end - 1] != step:
            return False
        self._framed = {}
        for name, value in (("loss", loss), ("loss_finite", float(finite))):
            if name in self._newest.signature[0]:
                self._scalars[self._end - 1, self._scalar_index[name]] = value
        return True

    def add_epoch(self, epoch: Epoch) -> None:
        """Appends the numbers of an epoch."""
        self._epochs += (epoch,)

    def add_event(self, event: Event) -> None:
        """Appends an event."""
        self._events = (*self._events, event)[-_EVENTS:]

    def window(self) -> Window:
        """What is remembered now, as read-only views."""
        start, end = max(self._end - self._capacity, 0), self._end
        scalar_index, layer_index = self._present(end - start)
        steps, scalars, layers = self._shown
        return Window(
            chart=self._chart,
            steps=steps[start:end],
            scalars=_Columns(scalars[start:end], scalar_index),
            layers=_Columns(layers[start:end], layer_index),
            pulse=self._beats.pulse(),
            epochs=self._epochs,
            events=self._events,
            losses=self._losses.condensed(),
            _facts=self._facts,
            _framed=self._framed,
        )

    def _present(self, rows: int) -> tuple[_Index, _Index]:
        """The statistics of the last `rows` frames only.

        A run that is replayed from the middle must not differ from one that was watched from the
        start because an older frame had one statistic more.
        """
        oldest = self._total - rows
        kinds = [kind for kind in self._kinds.values() if kind.last > oldest]
        if kinds != self._recent[0]:
            scalars = {name for kind in kinds for name in kind.signature[0]}
            layers = {name for kind in kinds for name in kind.signature[1]}
            self._recent = (
                kinds,
                {name: row for name, row in self._scalar_index.items() if name in scalars},
                {name: row for name, row in self._layer_index.items() if name in layers},
            )
        return self._recent[1:]

    def _learn(self, key: Signature) -> Kind:
        """Makes room for a kind of frame not seen before."""
        for index, names in ((self._scalar_index, key[0]), (self._layer_index, key[1])):
            for name in names:
                index.setdefault(name, len(index))
        self._width = max(self._width, key[2])
        kind = Kind(key, _rows(self._scalar_index, key[0]), _rows(self._layer_index, key[1]))
        self._kinds[key] = kind
        self._renew()
        return kind

    def _renew(self) -> None:
        """Moves the newest rows to the front of new arrays, larger ones if there is more to hold.

        The old arrays are left to the windows that still show them.
        """
        room = 2 * self._capacity
        kept = slice(max(self._end - self._capacity, 0), self._end)
        self._end = kept.stop - kept.start
        self._steps = _moved(self._steps[kept], (room,))
        self._scalars = _moved(self._scalars[kept], (room, len(self._scalar_index)))
        self._layers = _moved(self._layers[kept], (room, len(self._layer_index), self._width))
        self._shown = (_read_only(self._steps), _read_only(self._scalars), _read_only(self._layers))


def _rows(index: _Index, names: tuple[str, ...]) -> slice | list[int]:
    """Where the names are; a slice if they are neighbours, because that is faster to assign."""
    rows = [index[name] for name in names]
    if rows and rows == list(range(rows[0], rows[0] + len(rows))):
        return slice(rows[0], rows[0] + len(rows))
    return rows


def _moved(old: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The rows in new memory; a statistic or a layer that is new is NaN in them."""
    new = np.empty(shape, old.dtype)  # a row that is not written yet is never shown
    if new.shape[1:] > old.shape[1:]:
        new[: len(old)] = np.nan
    new[tuple(slice(length) for length in old.shape)] = old
    return new


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
