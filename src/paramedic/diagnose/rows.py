"""Picking rows and columns out of a window: measured frames, and the layers that learn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paramedic.types import Layer, Window

Floats = NDArray[np.float32]
_NORMALISES = ("Norm",)


def measured(window: Window, name: str, most: int = 64) -> Floats:
    """The last `most` frames in which a statistic of layers was measured at all."""
    table = window.layer(name)
    rows = table[~np.isnan(table).all(axis=1)]
    return rows[-most:]


def scalars(window: Window, name: str, most: int = 64) -> NDArray[np.float64]:
    """The last `most` values of a statistic that were measured."""
    values = window.scalar(name)
    return values[~np.isnan(values)][-most:]


def learners(window: Window) -> NDArray[np.intp]:
    """The layers with weights that some optimizer is meant to change, in order of execution.

    Normalisations are left out: their few parameters follow other rules.
    """
    return window.derive(_learners)


def _learners(window: Window) -> NDArray[np.intp]:
    layers = window.chart.layers
    places = [place for place, layer in enumerate(layers) if _learns(layer)]
    return np.array(sorted(places, key=lambda place: layers[place].order), np.intp)


def _learns(layer: Layer) -> bool:
    own = layer.parameters > 0 and layer.trainable and layer.in_optimizer
    return own and not normalises(layer)


def normalises(layer: Layer) -> bool:
    """Whether a layer is a normalisation, by its kind."""
    return any(word in layer.kind for word in _NORMALISES)


def names(window: Window, places: NDArray[np.intp] | list[int]) -> tuple[str, ...]:
    """The names of layers."""
    return tuple(window.names[int(place)] for place in places)
