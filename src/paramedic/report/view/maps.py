"""Pictures of the layers over time: gradient norm, update ratio, dead and saturated shares."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.detectors.dying_relu import DyingRelu
from paramedic.diagnose.detectors.learning_rate_too_high import LearningRateTooHigh
from paramedic.diagnose.detectors.learning_rate_too_low import LearningRateTooLow
from paramedic.diagnose.detectors.saturated_activation import SaturatedActivation
from paramedic.report.view.course import Course
from paramedic.report.view.pixels import bins, largest, typical

CELLS = 13_000  # of one map: 50 layers at 260 columns
_LONGEST = 200  # characters of the name of a layer
_NARROWEST = 24  # columns, however many layers there are
_UNKNOWN, _ZERO, _INFINITE, _FIRST = 0, 1, 2, 3  # codes of a cell; levels begin at `_FIRST`
_LEVELS = 2**16 - 1 - _FIRST


@dataclass(frozen=True, slots=True, eq=False)
class LayerMap:
    """One statistic of all layers over the run, thinned to `width` columns.

    `values` has a row per layer and a column per stretch of steps, which begins at `steps`; the
    last one ends before `end`. NaN is not measured, infinity not finite. `healthy` is the band of
    values that are no cause for worry, after the thresholds of the detectors.
    """

    name: str
    title: str
    about: str
    scale: str
    layers: tuple[str, ...]
    kinds: tuple[str, ...]
    steps: NDArray[np.int64]
    end: int
    values: NDArray[np.float32]
    healthy: tuple[float, float] | None = None

    @property
    def summary(self) -> str:
        """The map in words, for who does not see it."""
        count = f"{len(self.layers)} layer{'s' if len(self.layers) != 1 else ''}"
        known = np.where(np.isfinite(self.values), self.values, np.nan)
        if np.isnan(known).all():
            return f"{self.title}: {count}, no value is finite."
        least, most = np.nanargmin(known), np.nanargmax(known)
        return (
            f"{self.title}: {count}, least {self._told(known, least)}, "
            f"largest {self._told(known, most)}."
        )

    def _told(self, known: NDArray[np.float32], place: np.intp) -> str:
        row, column = divmod(int(place), known.shape[1])
        value = float(known[row, column])
        shown = f"{value:.3g}" if self.scale == "log" else f"{100 * value:.0f} %"
        return f"{shown} in {self.layers[row]} at step {self.steps[column]:,}"

    def to_json(self) -> dict[str, Any]:
        """Plain values; the cells as 16-bit codes, which are good for four digits."""
        low, high, codes = _coded(self.values, self.scale)
        return {
            "name": self.name, "title": self.title, "scale": self.scale,
            "layers": list(self.layers), "kinds": list(self.kinds),
            "steps": self.steps.tolist(), "end": self.end, "low": low, "high": high,
            "healthy": None if self.healthy is None else list(self.healthy),
            "cells": base64.b64encode(codes.tobytes()).decode("ascii"),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Kind:
    """What one map shows, and how the looks of one pixel become one value."""

    name: str
    title: str
    about: str
    scale: str
    thin: Callable[[NDArray[np.float32], NDArray[np.intp]], NDArray[np.float32]]
    inputs: str = ""  # the same of an input that no row shows
    healthy: tuple[float, float] | None = None


_KINDS = (
    _Kind(
        "grad_norm",
        "Gradient norm by layer",
        "How strong the gradient of each layer was, the largest of each stretch. Layers that stay "
        "dark learn nothing; a bright column is an explosion.",
        "log",
        largest,
    ),
    _Kind(
        "update_ratio",
        "Update ratio by layer",
        "How far a step moved the weights of each layer, against their size. Below the band "
        "nothing moves, above it the steps are too large.",
        "log",
        typical,
        healthy=(LearningRateTooLow().ratio, LearningRateTooHigh().steady),
    ),
    _Kind(
        "act_dead",
        "Dead units by layer",
        "The share of units that no sample of the batch activated, the largest of each stretch.",
        "linear",
        largest,
        inputs="input_dead",
        healthy=(0.0, DyingRelu().dead),
    ),
    _Kind(
        "act_saturated",
        "Saturation by layer",
        "The share of values within 1 % of a bound of the activation, the largest of each stretch.",
        "linear",
        largest,
        inputs="input_saturated",
        healthy=(0.0, SaturatedActivation().saturated),
    ),
)


def maps(course: Course, width: int, cells: int = CELLS) -> tuple[LayerMap, ...]:
    """The maps that have something to show; with many layers they have fewer columns."""
    found = (_map(course, kind, width, cells) for kind in _KINDS)
    return tuple(one for one in found if one is not None)


def _map(course: Course, kind: _Kind, width: int, cells: int) -> LayerMap | None:
    table, names, kinds = _table(course, kind)
    seen = ~np.isnan(table)
    rows, columns = seen.any(axis=1), np.flatnonzero(seen.any(axis=0))
    if not rows.any():
        return None
    steps, table = course.steps[rows], table[rows][:, columns]
    fits = min(width, max(cells // len(columns), _NARROWEST))
    starts = bins(steps, fits)
    return LayerMap(
        name=kind.name,
        title=kind.title,
        about=kind.about,
        scale=kind.scale,
        layers=tuple(names[place] for place in columns),
        kinds=tuple(kinds[place] for place in columns),
        steps=steps[starts],
        end=max(course.last_step, int(steps[-1])) + 1,
        values=kind.thin(table, starts).T,
        healthy=kind.healthy,
    )


def _table(course: Course, kind: _Kind) -> tuple[NDArray[np.float32], list[str], list[str]]:
    """All rows of the statistic in the order of execution, with a name and a kind per column."""
    own = course.layers.get(kind.name)
    empty = np.empty((len(course.steps), 0), np.float32)
    own = empty if own is None else own
    inputs = course.layers.get(kind.inputs, empty)
    names = [*_names(course, own.shape[1]), *_names(course, inputs.shape[1], " (input)")]
    order = sorted(range(len(names)), key=lambda place: names[place][0])
    table = np.concatenate([own, inputs], axis=1)[:, order]
    return table, [names[one][1] for one in order], [names[one][2] for one in order]


def _names(course: Course, count: int, after: str = "") -> list[tuple[int, str, str]]:
    """Place in the order of execution, name and kind; frames may have layers the chart lacks."""
    layers = course.chart.layers
    known = [(layer.order, f"{_short(layer.name)}{after}", layer.kind) for layer in layers[:count]]
    return known + [(len(layers), f"#{place}{after}", "") for place in range(len(known), count)]


def _short(name: str) -> str:
    """The end of a name tells more than its beginning."""
    return name if len(name) <= _LONGEST else f"…{name[-_LONGEST:]}"


def _coded(values: NDArray[np.float32], scale: str) -> tuple[float, float, NDArray[np.uint16]]:
    """The range, and a code per cell: not known, zero, not finite, or a level of the range."""
    wide = values.astype(np.float64)
    logarithmic = scale == "log"
    usable = np.isfinite(wide) & ((wide > 0) if logarithmic else np.bool_(True))
    known = wide[usable]
    low, high = (float(known.min()), float(known.max())) if len(known) else (1.0, 1.0)
    if not logarithmic:
        low, high = min(low, 0.0), max(high, 1.0)
    bottom, top = (np.log(low), np.log(high)) if logarithmic else (low, high)
    share = np.zeros_like(wide)
    if top > bottom:
        inner = np.log(wide, out=np.zeros_like(wide), where=usable) if logarithmic else wide
        np.divide(inner - bottom, top - bottom, out=share, where=usable)
    codes = np.where(usable, _FIRST + np.rint(share * _LEVELS), _UNKNOWN)
    codes = np.where(np.isinf(wide), _INFINITE, codes)
    if logarithmic:
        codes = np.where(wide == 0, _ZERO, codes)
    return low, high, codes.astype("<u2")
