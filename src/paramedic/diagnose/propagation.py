"""Whether a leap of the gradient went through the net as gradients do: from the loss backwards.

The gradient of the last layers is the error of the outputs times what comes in: while the loss is
as usual it cannot leap by itself. What leaps by nature, as when attention begins to learn, begins
further in, and the layers before get it too. A fault multiplies all layers alike, or some of them
and not the layer before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from paramedic.types import Chart, Event

_LAST = 3  # layers next to the loss
_EMBEDDING = "Embedding"  # nothing comes before one


def way_through(chart: Chart) -> tuple[tuple[str, bool], ...]:
    """The layers in the order of execution, and whether each is an embedding. Use
    `window.of_chart`."""
    return tuple((layer.name, _EMBEDDING in layer.kind) for layer in chart.layers)


def evenness(event: Event, way: Sequence[tuple[str, bool]], ratio: float) -> float:
    """How far the last layers went along when the gradient grew by the ratio: the least of their
    moves as a share of it, both as logarithms. 1 if it is not known."""
    moves = event.data.get("moves", {})
    known = [name for name, _ in way if name in moves]
    if not known or ratio <= 1:
        return 1.0
    return min(math.log(moves[name]) for name in known[-_LAST:]) / math.log(ratio)


def passed_on(event: Event, way: Sequence[tuple[str, bool]], name: str) -> float:
    """How far the layer before went along when this one leapt, as a share of its move, both as
    logarithms; beside an embedding it is the first layer after. 0 if it is not known."""
    moves = event.data.get("moves", {})
    known = [(one, embeds) for one, embeds in way if one in moves]
    place = next((at for at, (one, _) in enumerate(known) if one == name), None)
    if place is None or moves[name] <= 1:
        return 0.0
    after = [one for one, embeds in known[place + 1 :] if not embeds][:1]
    before = [one for one, _ in known[max(place - 1, 0) : place]]
    beside = after if known[place][1] or not before else before
    return math.log(moves[beside[0]]) / math.log(moves[name]) if beside else 0.0
