"""A glance at the gradient of every step, between looks too: has it jumped?

The norm of each layer is held against its own level, a moving average of logarithms. What all
layers do together (the median of their moves) is told from what one of them does beside the
others: a batch moves all of them, a fault often only some. A jump is far from the level and far
outside of the range of the moves before. It is not judged here but told, as an event with its
numbers, and makes the probe look at once; detectors judge it.

The native kernel does the work, in a few microseconds more than reading the gradients takes.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from paramedic.diagnose.jumps import JUMP
from paramedic.probe import native
from paramedic.types import Event

_FEWEST = 64  # steps before anything can jump: the first ones are wild
_LIMITS = (
    _FEWEST,
    1 / 16,  # weight of a step in the level
    1 / 64,  # by which the range of moves narrows in each step
    math.log(4),  # a wild step moves the level and the range no more than this
    math.log(7),  # a jump up, against the level …
    math.log(2.5),  # … and against the highest move before
    math.log(100),  # the same down
    math.log(30),
    math.log(4),  # of the norm of a layer that jumps beside the others
    0.05,  # smallest deviation of a logarithm: nobody is calmer than 5 %
)
_ALL, _ROW, _TOLD = 7, 5, 4  # of what is remembered of all layers and of each, and told of each
_MOVE, _BEYOND, _DEVIATIONS = 4, 5, 6
_JUMPED = -1  # where the kernel says whether something jumped
_QUIET = 16  # steps after a jump in which no smaller one is told
_LARGER = 1.2  # times as far, as logarithms
_MOST_LOST = 8  # times that gradients were not where they were before
_MOST_NAMED = 64
_MOST_MOVES = 512


class Vigil:
    """Glances at the gradients of `parameters`, each of which belongs to one of `height` rows."""

    def __init__(self, parameters: Sequence[Tensor], row_of: Sequence[int], height: int) -> None:
        self._all_parameters, self._all_rows, self._height = parameters, row_of, height
        self._parameters: list[Tensor] = []
        self._rows_of = array("q")
        self._lost = self._steps = 0
        self._quiet_until, self._largest = 0, 0.0
        self._limits = array("d", _LIMITS)
        self._all = array("d", bytes(8 * _ALL))
        self._rows = array("d", bytes(8 * _ROW * height))
        self._told = array("d", bytes(8 * _TOLD * height))
        self._scratch = array("d", bytes(2 * 8 * height))
        places = (self._rows_of, self._scratch, self._limits, self._all, self._rows, self._told)
        rows_of, scratch, *kept = (one.buffer_info()[0] for one in places)
        # As `Vigil` in `kernel.c` has it.
        self._memory = array("Q", [rows_of, 0, height, scratch, scratch + 8 * height, *kept, 0])
        self.place = self._memory.buffer_info()[0]  # for the kernel
        self._vigil: Any = None if native.kernel is None else native.kernel.vigil

    def glance(self) -> bool:
        """After a backward pass: whether a jump is to be told. This is hot."""
        return self._sees() and self._is_news()

    def follow(self) -> bool:
        """The same where no jump would be told: only the level is followed."""
        self._sees()
        return False

    def _sees(self) -> bool:
        if not self._parameters and not self._find():
            return False
        vectors = native.vectors_of([parameter.grad for parameter in self._parameters])
        if vectors is None:  # a gradient is gone, or has moved to where it cannot be read
            self._parameters, self._lost = [], self._lost + 1
            return False
        self._steps += 1
        pointers, sizes = vectors.pointers.buffer_info()[0], vectors.sizes.buffer_info()[0]
        return bool(self._vigil(pointers, sizes, self.place))

    def glance_at(self, norms: NDArray[np.float32]) -> bool:
        """The same where the norm of each row was measured already."""
        if native.kernel is None or len(norms) != self._height:
            return False
        self._steps += 1
        place: int = norms.__array_interface__["data"][0]
        return bool(native.kernel.vigil_of(place, self.place)) and self._is_news()

    def was_shown(self) -> bool:
        """The same after the kernel has shown it the norms it read."""
        self._steps += 1
        return bool(self._memory[_JUMPED]) and self._is_news()

    def _is_news(self) -> bool:
        """Whether no jump as large was told just before: a wild run is not looked at again and
        again, but a fault right after a natural jump is."""
        moves = np.array(self._told).reshape(_TOLD, -1)[1]
        size = float(np.nanmax(np.abs(moves), initial=0.0))
        if self._steps < self._quiet_until and size < _LARGER * self._largest:
            return False
        self._quiet_until, self._largest = self._steps + _QUIET, size
        return True

    def _find(self) -> bool:
        """The parameters whose gradients the kernel can read; False if there are none."""
        if self._vigil is None or self._lost > _MOST_LOST:
            return False
        both = zip(self._all_parameters, self._all_rows, strict=True)
        found = [(one, row) for one, row in both if native.vectors_of([one.grad]) is not None]
        self._parameters = [one for one, _ in found]
        self._rows_of = array("q", [row for _, row in found])
        self._memory[0], self._memory[1] = self._rows_of.buffer_info()
        self._lost += not found
        return bool(found)

    def event(self, step: int, names: Sequence[str]) -> Event:
        """The jump that the last glance saw, with its numbers."""
        return jump_event(step, names, np.array(self._all), np.array(self._told).reshape(_TOLD, -1))


def jump_event(
    step: int, names: Sequence[str], together: NDArray[np.float64], told: NDArray[np.float64]
) -> Event:
    """What happened, in numbers that detectors can judge."""
    logs, moves, beyond, _ = told
    common = float(together[_MOVE])
    own = moves - common
    up = (own > _LIMITS[4]) & (beyond > _LIMITS[5]) & (moves > _LIMITS[8])
    down = (own < -_LIMITS[6]) & (beyond < -_LIMITS[7]) & (moves < -_LIMITS[8])
    data: dict[str, Any] = {
        "ratio": _power(common),
        "beyond": _power(float(together[_BEYOND])),
        "deviations": float(together[_DEVIATIONS]),
        "norm": _total(logs),
        "usual": _total(logs - moves),
        "rows": int(np.isfinite(moves).sum()),
        "up": _layers(names, up, told),
        "down": _layers(names, down, told),
        "moves": _moves(names, moves),
    }
    norm, usual = data["norm"], data["usual"]
    message = f"Step {step}: the norm of the gradient jumped to {norm:.3g}, usually {usual:.3g}."
    return Event(step, JUMP, message, data)


def _total(logs: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.nansum(np.exp(2 * logs))))


def _power(move: float) -> float:
    return math.exp(max(min(move, 700.0), -700.0))


def _moves(names: Sequence[str], moves: NDArray[np.float64]) -> Mapping[str, float]:
    """The norm of each layer over its usual one; of very many, those next to the loss."""
    known = np.flatnonzero(np.isfinite(moves))[-_MOST_MOVES:]
    return {names[place]: float(f"{_power(float(moves[place])):.4g}") for place in known}


def _layers(
    names: Sequence[str], which: NDArray[np.bool_], told: NDArray[np.float64]
) -> Mapping[str, list[float]]:
    """The norm of each of these layers, its usual one, and its deviations from the others."""
    logs, moves, _, deviations = told
    return {
        names[place]: [
            _power(float(logs[place])),
            _power(float(logs[place] - moves[place])),
            float(deviations[place]),
        ]
        for place in np.flatnonzero(which)[:_MOST_NAMED]
    }
