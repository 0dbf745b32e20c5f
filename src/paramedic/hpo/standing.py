"""How a trial stands: by its own curve, and among the others at the same age.

Values are such that less is better. Nothing here knows what was found inside the net.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

# One row per other trial, one column per epoch: its best value by then. A trial that ended
# earlier keeps its last; before the first finite one it is infinite.
Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Others:
    """The trials to compare with: what they are after, and where they are known their losses, a
    table for each of `verdict.LOSSES`."""

    values: Table
    losses: tuple[Table, ...] = ()


Peers = Callable[[], Others]


def nobody() -> Others:
    """No other trials to compare with."""
    return Others(np.empty((0, 0)))


def lowest(values: Sequence[float]) -> tuple[float, ...]:
    """The lowest so far, by epoch; what is NaN is not known, and infinite before there is one."""
    return tuple(accumulate((math.inf if math.isnan(one) else one for one in values), min))


def table(curves: Sequence[Sequence[float]], epochs: int = 0) -> Table:
    """The best values so far of trials, from their values by epoch."""
    width = max([epochs, *map(len, curves)], default=0)
    found = np.full((len(curves), width), math.inf)
    for row, curve in zip(found, curves, strict=True):
        values = np.asarray(curve, float)
        row[: len(values)] = np.where(np.isfinite(values), values, math.inf)
    if width:
        np.minimum.accumulate(found, axis=1, out=found)
    return found


@dataclass(frozen=True, slots=True)
class Standing:
    """A trial after some epochs, given its best values by epoch, and the others.

    Args:
        bests: the best value after each epoch, the newest last.
        others: what `table` gives.
        epochs: the planned epochs; as many as the others have, if not known.
    """

    bests: Sequence[float]
    others: Table
    epochs: int = 0

    @property
    def is_known(self) -> bool:
        """Whether the trial has a value to compare."""
        return bool(self.bests) and math.isfinite(self.bests[-1])

    @property
    def better(self) -> float:
        """The share of the others that were better at this age."""
        if not self.others.size:
            return 0.0
        column = min(len(self.bests), self.others.shape[1]) - 1
        return float((self.others[:, column] < self.bests[-1]).mean())

    @property
    def planned(self) -> int:
        """The planned epochs, or else how many the others had; 0 if neither is known."""
        return self.epochs or self.others.shape[1]

    @property
    def age(self) -> float:
        """The share of the planned epochs that have ended."""
        return len(self.bests) / max(self.planned, len(self.bests), 1)

    def stalled(self, epochs: int) -> bool:
        """Whether the last so many epochs brought nothing better."""
        if epochs < 1 or len(self.bests) <= epochs:
            return False
        return self.bests[-1] >= self.bests[-1 - epochs]


def gathers_pace(losses: Sequence[float], least: float = 1e-3) -> bool:
    """Whether the loss falls faster and faster, now or at the epoch before: a trial that starts
    late looks bad until then.

    The last epoch must have brought `least` of the loss and more than the one before, which must
    have brought something, and both together more than those before them.
    """
    return _faster(losses, least) or (len(losses) > 3 and _faster(losses[:-1], least))


def _faster(losses: Sequence[float], least: float) -> bool:
    if len(losses) < 3 or not np.isfinite(losses).all():
        return False
    before, now = losses[-3] - losses[-2], losses[-2] - losses[-1]
    if not (now > before > 0 and now > least * abs(losses[-1])):
        return False
    return len(losses) < 4 or (before + now) / 2 > (losses[0] - losses[-3]) / (len(losses) - 3)
