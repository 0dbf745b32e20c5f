"""The metric of a program: a number by which it measures itself, and whether that has got better.

It decides where the loss is no measure of progress.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FEWEST = 10  # values whose ends can be compared
_FEWEST_RISING = 5  # values that say something if nearly each is better than those before
_RISING = 0.93  # pairs in order, as a share, that are no chance: p < 0.01 from five values on
_SIGNIFICANT = 3.0  # standard errors
_EFFECT = 0.05  # of its size that a logged metric must gain
_PARTS = 10  # between which a logged metric may go back
_CHANCE = 1.5  # times what chance explains of that
_WANDERING = 4.0  # times as far as it would wander that it must gain if it does
_TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """Values of a metric, oldest first; larger is better, unless it `falls` as things get better.

    `logged` are those that a program happened to log: they may be means over what came long before
    or measure another thing than it is trained for. So they count as better only if that is plain,
    and prove nothing if they are not.
    """

    name: str
    values: Floats
    logged: bool = False
    falls: bool = False

    @property
    def is_enough(self) -> bool:
        """Whether there are enough values to judge by."""
        return len(self.values) >= (_FEWEST_RISING if self.logged else _FEWEST)

    @property
    def ends(self) -> tuple[float, float]:
        """Typical values at first and at the end, from a fifth each."""
        first, last = self._ends()
        return float(first.mean()), float(last.mean())

    @property
    def is_better(self) -> bool:
        """Whether it is better at the end than at first, beyond doubt."""
        values = -self.values if self.falls else self.values
        if len(values) < _FEWEST:
            return _rises_throughout(values) and self._gains_enough()
        first, last = self._ends()
        error = math.sqrt((float(first.var()) + float(last.var())) / len(first))
        gain = float(last.mean() - first.mean()) * (-1 if self.falls else 1)
        if not gain > _SIGNIFICANT * max(error, _TINY):
            return False
        if not self.logged:
            return True
        return gain > _WANDERING * _wandering(values) and self._gains_enough()

    def _ends(self) -> tuple[Floats, Floats]:
        fewest = 3 if len(self.values) >= _FEWEST else 1
        count = max(len(self.values) // 5, fewest)
        return self.values[:count], self.values[-count:]

    def _gains_enough(self) -> bool:
        before, after = self.ends
        return abs(after - before) > _EFFECT * max(abs(before), abs(after))


def _rises_throughout(values: Floats) -> bool:
    """Whether nearly all pairs are in order, as Kendall counts them."""
    earlier, later = np.triu_indices(len(values), 1)
    return bool((values[later] > values[earlier]).mean() >= _RISING)


def _wandering(values: Floats) -> float:
    """How far it would come if it just wandered, as a running mean does; 0 if neighbours differ as
    much as they would by chance alone. What wanders goes back as often as it comes, so its steps
    back tell how long its steps are."""
    steps = np.diff([part.mean() for part in np.array_split(values, _PARTS)])
    back = steps[steps < 0]
    jump = float(np.median(np.abs(np.diff(values)))) * 1.4826  # of a value to the next
    by_chance = jump / math.sqrt(len(values) / _PARTS)
    if not len(back) or math.sqrt(float((back**2).mean())) < _CHANCE * by_chance:
        return 0.0
    return math.sqrt(2 * float((back**2).sum()))
