"""Tells a recorded run again, in the order it happened."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from paramedic.trace.codec import Layout
from paramedic.trace.errors import TraceError
from paramedic.trace.history import History
from paramedic.trace.reader import Blob, Trace
from paramedic.types import Chart, Epoch, Event, Pulse

_AHEAD = 20_000  # steps of which the heartbeats are read together
_VITAL = ("loss_finite", "grad_finite", "grad_norm", "lr/0")
Vitals = tuple[float, float, float, float]  # these; NaN where one was not measured
_FRAME, _EVENT, _EPOCH = 0, 1, 2  # what happens first within a step


class Listener(Protocol):
    """Whoever wants to hear the story: the engine of `diagnose`."""

    @property
    def history(self) -> History: ...
    @property
    def waits(self) -> bool: ...
    def chart(self, chart: Chart) -> None: ...
    def settle(self) -> None: ...
    def framed_until_due(self, frames: Iterable[tuple[int, Vitals]]) -> int: ...
    def event(self, event: Event) -> None: ...
    def epoch(self, epoch: Epoch) -> None: ...
    def finish(self) -> None: ...


def tell(trace: Trace, listener: Listener, every: int = 1) -> int:
    """Tell the whole run; gives the number of frames. Memory does not grow with its length.

    With `every` only the first of so many frames is told, as if a watch had looked less often;
    heartbeats, events and epochs are all told.
    """
    if every < 1:
        raise ValueError(f"`every` must be at least 1 but got {every}.")
    listener.chart(trace.first_chart)
    beats = _Beats(trace)
    frames = _Frames(trace, listener, beats)
    happened = -1  # the step of the newest event or epoch
    for step, kind, what in _story(trace, every):
        if kind == _FRAME:
            frames.tell(what)
            continue
        if kind == _EPOCH or step > max(frames.newest, happened):
            listener.settle()
        happened = step
        if kind == _EPOCH:
            beats.tell(step, listener)
            listener.epoch(what)
        elif what.kind == "chart":
            listener.chart(trace.chart_of(what))
        else:
            listener.event(what)
            if listener.waits:
                beats.tell(step, listener)
    listener.settle()
    beats.tell(trace.last_step, listener)
    listener.finish()
    return frames.told


def _story(trace: Trace, every: int) -> Iterator[tuple[int, int, Any]]:
    """Frames, or one in `every`, and events and epochs by step; frames with nothing between them
    together."""
    rare: list[tuple[int, int, Any]] = [(event.step, _EVENT, event) for event in trace.events]
    rare += [(epoch.step, _EPOCH, epoch) for epoch in trace.epochs]
    rare.sort(key=itemgetter(0, 1))
    place = 0
    for page in _pages(trace, every):
        start = 0
        while start < len(page):
            step = page[start][1]
            while place < len(rare) and rare[place][0] < step:
                yield rare[place]
                place += 1
            until = rare[place][0] if place < len(rare) else math.inf
            end = bisect_right(page, until, start, key=itemgetter(1))
            yield step, _FRAME, page[start:end]
            start = end
    yield from rare[place:]


def _pages(trace: Trace, every: int) -> Iterator[list[Blob]]:
    """The frames a page at a time, the first of `every`."""
    skip = 0
    for page in trace.pages():
        yield page[skip::every]
        skip = (skip - len(page)) % every


class _Way:
    """What is needed of a layout to tell its frames quickly."""

    __slots__ = ("kind", "layout", "vitals")

    def __init__(self, layout: Layout, history: History) -> None:
        self.layout = layout
        width = layout.width if layout.layers else 0
        self.kind = history.kind((layout.scalars, layout.layers, width))
        self.vitals = [_place(layout, name) for name in _VITAL]

    def read(self, scalars: NDArray[np.float64]) -> Iterator[Vitals]:
        """Of each frame, its vital signs."""
        columns = [
            [math.nan] * len(scalars) if place is None else scalars[:, place].tolist()
            for place in self.vitals
        ]
        return zip(*columns, strict=True)


def _place(layout: Layout, name: str) -> int | None:
    return layout.scalars.index(name) if name in layout.scalars else None


class _Frames:
    """The frames, told in order, and handed to the history many at a time."""

    def __init__(self, trace: Trace, listener: Listener, beats: _Beats) -> None:
        self.told, self.newest = 0, -1
        self._trace, self._listener, self._beats = trace, listener, beats
        self._ways: dict[int, _Way] = {}

    def tell(self, frames: Sequence[Blob]) -> None:
        """Frames with nothing between them, as they lie in the file."""
        for layout, alike in groupby(frames, itemgetter(3)):
            _, steps, _, _, blobs = zip(*alike, strict=True)
            self._tell(self._ways.get(id(layout)) or self._learn(layout), steps, blobs)

    def _tell(self, way: _Way, steps: Sequence[int], blobs: Sequence[bytes]) -> None:
        listener = self._listener
        for step, data in zip(steps, blobs, strict=True):
            if len(data) != way.layout.size:
                self._refuse(step, way.layout, data)
        scalars, rows = way.layout.tables(blobs)
        coming, start = zip(steps, way.read(scalars), strict=True), 0
        while start < len(steps):
            if listener.waits:
                listener.settle()
            # It stops at a frame to examine, and goes on behind it in the next turn.
            end = start + listener.framed_until_due(coming)
            part = slice(start, end)
            listener.history.add_rows(way.kind, steps[part], scalars[part], rows[part])
            self.newest = steps[end - 1]
            if listener.waits:
                # Only examinations need heartbeats.
                self._beats.tell(self.newest, listener)
            start = end
        self.told += len(steps)

    def _refuse(self, step: int, layout: Layout, data: bytes) -> None:
        try:
            layout.check(data)
        except ValueError as error:
            what = f"is damaged: the frame of step {step}: {error}."
            raise TraceError(self._trace.path, what) from error

    def _learn(self, layout: Layout) -> _Way:
        way = self._ways[id(layout)] = _Way(layout, self._listener.history)
        return way


class _Beats:
    """The heartbeats, told up to a step; read in stretches."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._pulse = trace.pulse(0, 0)
        self._told = 0  # of the stretch in memory
        self._read = 0  # the first step that was not read yet

    def tell(self, step: int, listener: Listener) -> None:
        """Tell all heartbeats up to and with `step` that were not told yet."""
        while True:
            end = int(np.searchsorted(self._pulse.step, step, side="right"))
            if end > self._told:
                listener.history.add_pulses(_part(self._pulse, self._told, end))
                self._told = end
            if step < self._read:
                return
            self._pulse = self._trace.pulse(self._read, max(self._read + _AHEAD, step + 1))
            self._read, self._told = max(self._read + _AHEAD, step + 1), 0


def _part(pulse: Pulse, start: int, end: int) -> Pulse:
    rows = slice(start, end)
    return Pulse(pulse.step[rows], pulse.loss[rows], pulse.finite[rows], pulse.skipped[rows])
