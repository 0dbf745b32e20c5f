"""Tells a recorded run again, in the order it happened."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, pairwise
from operator import itemgetter
from typing import Any, Protocol

import numpy as np

from paramedic.trace.codec import Layout
from paramedic.trace.errors import TraceError
from paramedic.trace.history import History
from paramedic.trace.reader import Trace
from paramedic.types import Chart, Epoch, Event, Pulse

_AHEAD = 20_000  # steps of which the heartbeats are read together
_VITAL = ("loss_finite", "grad_norm", "grad_finite", "lr/0")  # in the order of most layouts
_FRAME, _EVENT, _EPOCH = 0, 1, 2  # what happens first within a step


class Listener(Protocol):
    """Whoever wants to hear the story: the engine of `diagnose`."""

    @property
    def history(self) -> History: ...
    @property
    def waits(self) -> bool: ...
    def chart(self, chart: Chart) -> None: ...
    def settle(self) -> None: ...
    def framed(self, step: int, *, finite: bool, norm: float, rate: float) -> bool: ...
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
            frames.tell(step, *what)
            continue
        frames.remember()
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
    frames.remember()
    listener.settle()
    beats.tell(trace.last_step, listener)
    listener.finish()
    return frames.told


def _story(trace: Trace, every: int) -> Iterator[tuple[int, int, Any]]:
    """Frames, or one in `every`, and events and epochs by step."""
    rare: list[tuple[int, int, Any]] = [(event.step, _EVENT, event) for event in trace.events]
    rare += [(epoch.step, _EPOCH, epoch) for epoch in trace.epochs]
    rare.sort(key=itemgetter(0, 1))
    place = 0
    for _, step, _, layout, data in islice(trace.blobs(), 0, None, every):
        while place < len(rare) and rare[place][0] < step:
            yield rare[place]
            place += 1
        yield step, _FRAME, (layout, data)
    yield from chain(rare[place:])


class _Way:
    """What is needed of a layout to tell its frames quickly."""

    __slots__ = ("kind", "layout", "vitals")

    def __init__(self, layout: Layout, history: History) -> None:
        self.layout = layout
        width = layout.width if layout.layers else 0
        self.kind = history.kind((layout.scalars, layout.layers, width))
        self.vitals = _reader(layout)


def _reader(layout: Layout) -> Callable[[bytes], tuple[float, ...]]:
    """How to read from a frame, without the rest, whether loss and gradient were finite, the norm
    of the gradient and the learning rate; NaN for what was not measured."""
    places = [layout.scalars.index(name) for name in _VITAL if name in layout.scalars]
    if len(places) == len(_VITAL) and places == sorted(places):
        gaps = [place - before - 1 for before, place in pairwise([-1, *places])]
        return struct.Struct("<" + "".join(f"{8 * gap}xd" for gap in gaps)).unpack_from
    return partial(_read_some, [name in layout.scalars for name in _VITAL], places)


def _read_some(known: Sequence[bool], places: Sequence[int], data: bytes) -> tuple[float, ...]:
    found = iter(places)
    return tuple(
        struct.unpack_from("<d", data, 8 * next(found))[0] if one else math.nan for one in known
    )


class _Frames:
    """The frames, told one by one, and handed to the history many at a time."""

    def __init__(self, trace: Trace, listener: Listener, beats: _Beats) -> None:
        self.told, self.newest = 0, -1
        self._trace, self._listener, self._beats = trace, listener, beats
        self._ways: dict[int, _Way] = {}
        self._way: _Way | None = None  # of the frames that are not remembered yet
        self._steps: list[int] = []
        self._blobs: list[bytes] = []

    def tell(self, step: int, layout: Layout, data: bytes) -> None:
        """One frame, as it lies in the file."""
        listener = self._listener
        if listener.waits:
            self.remember()
            listener.settle()
        way = self._ways.get(id(layout)) or self._learn(layout)
        if way is not self._way:
            self.remember()
            self._way = way
        if len(data) != layout.size:
            self._refuse(step, layout, data)
        self._steps.append(step)
        self._blobs.append(data)
        loss_finite, norm, gradient_finite, rate = way.vitals(data)
        # NaN is not known, and not zero.
        finite = loss_finite != 0.0 and gradient_finite != 0.0
        if listener.framed(step, finite=finite, norm=norm, rate=rate):
            # Only examinations need heartbeats.
            self._beats.tell(step, listener)
        self.told, self.newest = self.told + 1, step

    def remember(self) -> None:
        """Hand what was told to the history, before somebody looks at it."""
        if self._way is not None and self._steps:
            scalars, rows = self._way.layout.tables(self._blobs)
            self._listener.history.add_rows(self._way.kind, self._steps, scalars, rows)
            self._steps, self._blobs = [], []

    def _refuse(self, step: int, layout: Layout, data: bytes) -> None:
        try:
            layout.check(data)
        except ValueError as error:
            what = f"is damaged: the frame of step {step}: {error}."
            raise TraceError(self._trace.path, what) from error

    def _learn(self, layout: Layout) -> _Way:
        self.remember()  # a new kind may move everything that is remembered
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
