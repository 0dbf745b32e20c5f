"""Picking rows and columns out of a window: measured frames, and the layers that learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.types import Chart, Layer, Window

Floats = NDArray[np.float32]
_NORMALISES = ("Norm",)
_STRAIGHT = frozenset({"Linear", "Flatten", "Dropout", "Identity"})
_MIXES = ("Linear", "LazyLinear", "Conv")
_LATELY = 32  # frames, of which some are of norms only
_FEW = 200  # values: below that sorting is faster than partitioning


def measured(window: Window, name: str, most: int = 64) -> Floats:
    """The last `most` frames in which a statistic of layers was measured at all."""
    return window.of_frames(_measured, name)[-most:]


def _measured(window: Window, name: str) -> Floats:
    table = window.layers.get(name)
    if table is None:
        return np.empty((0, len(window.chart.layers)), np.float32)
    # In the usual case one layer that was seen last was seen always.
    if table.size and not np.isnan(table[:, int(np.isnan(table[-1]).argmin())]).any():
        return table
    # Whether a frame was measured is told by any layer; a sum is NaN only if all of it is.
    absent = np.isnan(np.fmax.reduce(table, axis=1, initial=np.nan))
    return table if not absent.any() else table[~absent]


def scalars(window: Window, name: str, most: int = 64) -> NDArray[np.float64]:
    """The last `most` values of a statistic that were measured."""
    return window.of_frames(_scalars, name)[-most:]


def _scalars(window: Window, name: str) -> NDArray[np.float64]:
    values = window.scalar(name)
    return values[~np.isnan(values)]


def middle(values: NDArray[np.floating[Any]]) -> float:
    """The median of finite values; NaN if there are none. A tenth of the time of NumPy's."""
    count = len(values)
    if not count:
        return float("nan")
    places = (count - 1) // 2, count // 2
    ordered = np.sort(values) if count < _FEW else np.partition(values, places)
    return (float(ordered[places[0]]) + float(ordered[places[1]])) / 2


def middles(table: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """The median of each column over its finite values; NaN where it has none."""
    count = len(table)
    if not count:
        return np.full(table.shape[1], np.nan)
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isfinite(table.sum()):
            return _middles_of_finite(table)
    ordered = np.sort(table, axis=0)
    middle = ordered[(count - 1) // 2] / 2 + ordered[count // 2] / 2
    return middle.astype(np.float64)  # type: ignore[no-any-return]


def _middles_of_finite(table: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    finite = np.isfinite(table)
    counts = finite.sum(axis=0)
    ordered = np.sort(np.where(finite, table, np.inf), axis=0)
    columns = np.arange(table.shape[1])
    low = ordered[np.maximum((counts - 1) // 2, 0), columns]
    high = ordered[np.minimum(counts // 2, len(table) - 1), columns]
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(counts > 0, low / 2 + high / 2, np.nan).astype(np.float64)


def learners(window: Window) -> NDArray[np.intp]:
    """The layers with weights that some optimizer is meant to change, in order of execution.

    Normalisations are left out: their few parameters follow other rules.
    """
    return window.of_chart(learner_places)


def learner_places(chart: Chart) -> NDArray[np.intp]:
    """The same, of a chart."""
    layers = chart.layers
    places = [place for place, layer in enumerate(layers) if learns(layer)]
    return np.array(sorted(places, key=lambda place: layers[place].order), np.intp)


def is_straight(chart: Chart) -> bool:
    """Whether the net is a linear function for certain: a single layer, or a row of linear ones.

    If the chart does not say so: functions that are called and no modules are not among its
    layers, but between the numbered parts of a `Sequential` there are none.
    """
    if len(learner_places(chart)) < 2:
        return True
    if chart.straight is not None:
        return chart.straight
    run = [layer for layer in chart.layers if layer.executed]
    return all(layer.kind in _STRAIGHT and layer.name.isdigit() for layer in run)


def is_narrow(chart: Chart) -> bool:
    """Whether everything that the net knows of a sample goes through a single number: that is all
    that its last layer reads. Where such layers stand alone, as in a net of one feature, it is
    the sample that is a number, and not the net that makes it one."""
    places = learner_places(chart)
    mixing = [chart.layers[place] for place in places if chart.layers[place].fan_in]
    last = mixing[-1] if len(mixing) > 1 else None
    return last is not None and last.kind.startswith(_MIXES) and last.fan_in == 1


def learns(layer: Layer) -> bool:
    """Whether a layer is one of the learners."""
    own = layer.parameters > 0 and layer.trainable and layer.in_optimizer
    return own and not normalises(layer)


def normalises(layer: Layer) -> bool:
    """Whether a layer is a normalisation, by its kind."""
    return any(word in layer.kind for word in _NORMALISES)


def dead_shares(window: Window) -> NDArray[np.float64]:
    """The share of dead units of each layer lately. Use `window.of_frames`."""
    return middles(window.of_frames(dead_units)[-8:])


def dead_units(window: Window) -> Floats:
    """The share of dead units of each layer, in the last frames in which it was measured.

    Those of a functional call are seen at the input of the layer that reads it.
    """
    both = np.fmax(window.layer("act_dead")[-_LATELY:], window.layer("input_dead")[-_LATELY:])
    seen: Floats = both[~np.isnan(np.fmax.reduce(both, axis=1, initial=np.nan))]
    return seen


def saturated_shares(window: Window) -> NDArray[np.float64]:
    """The share of saturated values of each hidden layer lately; 0 if not seen. Use
    `window.of_frames`."""
    shares = middles(window.of_frames(saturated_units)[-8:])
    shares[np.isnan(shares)] = 0.0
    return shares


def saturated_units(window: Window) -> Floats:
    """The saturated values of each hidden layer; an output may saturate: that is certainty."""
    outputs, inputs = window.layer("act_saturated"), window.layer("input_saturated")
    both = np.fmax(outputs[-_LATELY:], inputs[-_LATELY:])
    last = window.of_chart(_last_activation)
    if last is not None:
        both[:, last] = np.nan
    seen: Floats = both[~np.isnan(np.fmax.reduce(both, axis=1, initial=np.nan))]
    return seen


def _last_activation(chart: Chart) -> int | None:
    """The row of an activation function at the very end of the net."""
    places = range(len(chart.layers))
    last = max(places, key=lambda place: chart.layers[place].order, default=None)
    return last if last is not None and chart.layers[last].activation is not None else None


def names(window: Window, places: NDArray[np.intp] | list[int]) -> tuple[str, ...]:
    """The names of layers."""
    return tuple(window.names[int(place)] for place in places)


def bold(window: Window) -> bool:
    """Whether the optimizer leaps on purpose: LBFGS goes far along a guess of the curvature, may
    land badly, and comes back."""
    return any(one.get("name") == "LBFGS" for one in window.chart.optimizers)


def largest_rates(window: Window) -> NDArray[np.float64]:
    """The largest learning rate of each frame."""
    columns = [window.scalar(name) for name in window.scalars if name.startswith("lr/")]
    return np.max(columns, axis=0) if columns else np.empty(0)


def largest_updates(window: Window) -> NDArray[np.float64]:
    """The largest relative update of each frame that has any."""
    rows = window.layer("update_ratio").astype(np.float64)
    if not rows.size:
        return np.empty(0)
    known = ~np.isnan(rows).all(axis=1)
    return np.nanmax(rows[known], axis=1) if known.any() else np.empty(0)
