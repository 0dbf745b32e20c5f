"""What the chart tells of a net: its activations, its widths, its normalisations and dropouts."""

from __future__ import annotations

from collections.abc import Collection

from paramedic.diagnose.rows import learns, normalises
from paramedic.types import Chart, Layer

BOUNDED = frozenset({"sigmoid", "tanh", "hardsigmoid", "hardtanh", "softsign"})
RECTIFIERS = frozenset({"relu", "relu6"})
_RECURRENT = ("RNN", "LSTM", "GRU")


def in_order(chart: Chart) -> list[Layer]:
    """The layers in the order of execution."""
    return sorted(chart.layers, key=lambda layer: layer.order)


def hidden_activations(chart: Chart, kinds: Collection[str]) -> tuple[Layer, ...]:
    """Activations of these kinds, without one at the very end: that is the output's."""
    layers = in_order(chart)
    return tuple(layer for layer in layers[:-1] if layer.activation in kinds)


def carriers(chart: Chart) -> list[Layer]:
    """The layers with weights that learn, without normalisations, in order."""
    return [layer for layer in in_order(chart) if learns(layer) and layer.fan_in]


def is_normalised(chart: Chart) -> bool:
    """Whether at least half of the layers with weights are followed by a normalisation."""
    return 2 * sum(normalises(layer) for layer in chart.layers) >= max(len(carriers(chart)) - 1, 1)


def is_recurrent(layer: Layer) -> bool:
    """Whether a layer carries a state along time."""
    return layer.kind.startswith(_RECURRENT)


def units(layer: Layer) -> int:
    """How many outputs a layer has, from its numbers of weights and inputs; 0 if not known."""
    if not layer.fan_in or is_recurrent(layer):
        return 0
    with_bias, rest = divmod(layer.parameters, layer.fan_in + 1)
    return layer.parameters // layer.fan_in if rest else with_bias


def dropout(chart: Chart) -> float:
    """The largest share that a dropout of the net drops; 0 without one."""
    return max((layer.dropout or 0.0 for layer in chart.layers), default=0.0)
