"""The numbers of a run that are shown, gathered once, as arrays over the whole run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from paramedic.trace import Trace, TraceError
from paramedic.trace.codec import Layout
from paramedic.types import Chart, Epoch, Event, Pulse, Window

LAYER_STATISTICS = (
    "grad_norm", "update_ratio", "act_dead", "act_saturated", "input_dead", "input_saturated"
)  # fmt: skip
_SCALARS = ("grad_norm", "scale", "overhead")
_RATE = "lr/"
_TOGETHER = 256  # frames that are unpacked at once: bounds the memory

_Part = tuple[NDArray[np.int64], dict[str, NDArray[np.float64]], dict[str, NDArray[np.float32]]]


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """What was measured over a run, as far as it is shown.

    `pulse` has every step; `steps` are those that were looked at, `scalars[name]` one value for
    each of them and `layers[name]` one row for each and one column per layer; NaN means not
    measured.
    """

    chart: Chart
    pulse: Pulse
    steps: NDArray[np.int64]
    scalars: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    layers: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    epochs: tuple[Epoch, ...] = ()
    events: tuple[Event, ...] = ()

    @property
    def last_step(self) -> int:
        """The newest step of which anything is known, or -1."""
        newest = [int(one[-1]) for one in (self.steps, self.pulse.step) if len(one)]
        return max(newest, default=-1)

    @property
    def rates(self) -> tuple[str, ...]:
        """The names of the learning rates, one per group."""
        return tuple(name for name in self.scalars if name.startswith(_RATE))


def read(trace: Trace, before: Course | None = None) -> Course:
    """The course of a recorded run.

    Args:
        trace: the run.
        before: what was read of it earlier: only what came since is read from the file.
    """
    chart = trace.chart
    known = before or Course(chart, _no_pulse(), np.empty(0, np.int64))
    try:
        parts = list(_parts(trace, int(known.steps[-1]) + 1 if len(known.steps) else None))
    except ValueError as error:
        raise TraceError(trace.path, f"is damaged: a frame is invalid: {error}.") from error
    start = int(known.pulse.step[-1]) + 1 if len(known.pulse) else None
    steps = np.concatenate([known.steps, *(part[0] for part in parts)])
    return Course(
        chart=chart,
        pulse=_joined(known.pulse, trace.pulse(start)),
        steps=steps,
        scalars=_stacked([(known.steps, known.scalars), *((p[0], p[1]) for p in parts)]),
        layers=_piled([(known.steps, known.layers), *((p[0], p[2]) for p in parts)], chart),
        epochs=trace.epochs,
        events=trace.events,
    )


def of_window(window: Window) -> Course:
    """The course of a live run, as far back as its monitor remembers."""
    return Course(
        chart=window.chart,
        pulse=window.pulse,
        steps=window.steps,
        scalars={name: window.scalars[name] for name in window.scalars if _is_shown(name)},
        layers={name: window.layers[name] for name in LAYER_STATISTICS if name in window.layers},
        epochs=window.epochs,
        events=window.events,
    )


def _is_shown(name: str) -> bool:
    return name in _SCALARS or name.startswith(_RATE)


def _no_pulse() -> Pulse:
    none = np.empty(0, np.bool_)
    return Pulse(np.empty(0, np.int64), np.empty(0, np.float64), none, none)


def _joined(old: Pulse, new: Pulse) -> Pulse:
    """One after the other; in the order of the steps, which a run that was resumed may lack."""
    step = np.concatenate([old.step, new.step])
    order = np.argsort(step, kind="stable") if (np.diff(step) < 0).any() else slice(None)
    return Pulse(
        step=step[order],
        loss=np.concatenate([old.loss, new.loss])[order],
        finite=np.concatenate([old.finite, new.finite])[order],
        skipped=np.concatenate([old.skipped, new.skipped])[order],
    )


def _parts(trace: Trace, start: int | None) -> Iterator[_Part]:
    """The frames, many of the same layout at a time."""
    waiting: list[tuple[int, Layout, bytes]] = []
    for _, step, _, layout, blob in trace.blobs(start):
        layout.check(blob)
        waiting.append((step, layout, blob))
        if len(waiting) == _TOGETHER:
            yield from _unpacked(waiting)
            waiting = []
    yield from _unpacked(waiting)


def _unpacked(rows: Sequence[tuple[int, Layout, bytes]]) -> Iterator[_Part]:
    for layout, group in groupby(rows, key=itemgetter(1)):
        found = list(group)
        values, cells = layout.tables([blob for _, _, blob in found])
        scalars = {
            name: values[:, place].copy()
            for place, name in enumerate(layout.scalars)
            if _is_shown(name)
        }
        table = cells.reshape(len(found), len(layout.layers), layout.width)
        layers = {
            name: table[:, place].copy()
            for place, name in enumerate(layout.layers)
            if name in LAYER_STATISTICS
        }
        yield np.array([step for step, _, _ in found], np.int64), scalars, layers


def _stacked(
    parts: Sequence[tuple[NDArray[np.int64], Mapping[str, NDArray[np.float64]]]],
) -> dict[str, NDArray[np.float64]]:
    """Each scalar over all parts; NaN where a part does not have it."""
    names = dict.fromkeys(name for _, found in parts for name in found)
    return {
        name: np.concatenate(
            [found.get(name, np.full(len(steps), np.nan)) for steps, found in parts]
        )
        for name in names
    }


def _piled(
    parts: Sequence[tuple[NDArray[np.int64], Mapping[str, NDArray[np.float32]]]], chart: Chart
) -> dict[str, NDArray[np.float32]]:
    """Each statistic over all parts, padded to the layers of the newest chart."""
    names = dict.fromkeys(name for _, found in parts for name in found)
    width = max(
        [len(chart.layers), *(one.shape[1] for _, found in parts for one in found.values())]
    )
    piles = {}
    for name in names:
        pile = np.full((sum(len(steps) for steps, _ in parts), width), np.nan, np.float32)
        row = 0
        for steps, found in parts:
            if name in found:
                pile[row : row + len(steps), : found[name].shape[1]] = found[name]
            row += len(steps)
        piles[name] = pile
    return piles
