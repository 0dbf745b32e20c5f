"""Whether a leap of the gradient went through the net as gradients do: from the loss backwards.

The gradient of the last layers is the error of the outputs times what comes in: while the loss is
as usual it cannot leap by itself. What leaps by nature, as when attention begins to learn, begins
further in, and the layers before get it too. A fault multiplies all layers alike, or some of them
and not the layer before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from paramedic.types import Chart, Event

_LAST = 3  # layers next to the loss
_EMBEDDING, _NORMALISATION = "Embedding", "Norm"
Way = Sequence[tuple[str, str]]  # names and kinds of layers


def way_through(chart: Chart) -> Way:
    """The layers in the order of execution. Use `window.of_chart`."""
    return tuple((layer.name, layer.kind) for layer in chart.layers)


def evenness(event: Event, way: Way, ratio: float) -> float:
    """How far the last layers went along when the gradient grew by the ratio: the least of their
    moves as a share of it, both as logarithms. 1 if it is not known."""
    moves = event.data.get("moves", {})
    known = [name for name, _ in way if name in moves]
    if not known or ratio <= 1:
        return 1.0
    return min(math.log(moves[name]) for name in known[-_LAST:]) / math.log(ratio)


def passed_on(event: Event, way: Way, name: str, enough: float) -> bool:
    """Whether a layer leapt because the gradient did that went through it.

    Then the layers before have leapt too, at least by the share `enough` of its logarithm, back to
    where the way begins: at an embedding, at the first layer, or at a normalisation, since in
    front of one the branches of a residual net part. If it begins elsewhere all of them were
    multiplied. Beside an embedding, the first layer after tells.
    """
    moves = event.data.get("moves", {})
    known = [one for one in way if one[0] in moves]
    names = [one for one, _ in known]
    if name not in names or moves[name] <= 1:
        return False
    least = enough * math.log(moves[name])
    place = names.index(name)
    start = _start(known, place, moves, least)
    if start < place:
        return start == 0 or _is(_EMBEDDING, known[start]) or _is(_NORMALISATION, known[start])
    if place > 0 and not _is(_EMBEDDING, known[place]):
        return False
    after = [one for one, kind in known[place + 1 :] if _EMBEDDING not in kind][:1]
    return any(math.log(moves[one]) >= least for one in after)


def _start(known: Way, place: int, moves: Mapping[str, float], least: float) -> int:
    """The first of the layers up to a place that leapt together."""
    while place > 0 and not _is(_EMBEDDING, known[place]):
        if math.log(moves[known[place - 1][0]]) < least:
            break
        place -= 1
    return place


def _is(kind: str, layer: tuple[str, str]) -> bool:
    return kind in layer[1]
