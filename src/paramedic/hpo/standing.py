"""How a trial stands: by its own curve, and among the others at the same age.

Values are such that less is better. Nothing here knows what was found inside the net.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# One row per other trial, one column per epoch: its best value by then. A trial that ended
# earlier keeps its last; before the first finite one it is infinite.
Table = NDArray[np.float64]
Peers = Callable[[], Table]


def nobody() -> Table:
    """No other trials to compare with."""
    return np.empty((0, 0))


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
        return bool(self.bests) and not math.isnan(self.bests[-1])

    @property
    def better(self) -> float:
        """The share of the others that were better at this age."""
        return self._share_below(self.bests[-1], len(self.bests) - 1)

    @property
    def surely_better(self) -> float:
        """The same less its error: of few others a share says little."""
        return self.better - 0.5 / math.sqrt(max(len(self.others), 1))

    @property
    def age(self) -> float:
        """The share of the planned epochs that have ended."""
        return len(self.bests) / max(self.epochs or self.others.shape[1], len(self.bests), 1)

    @property
    def out_of_reach(self) -> float:
        """The share of the others that are better already than this trial will be at its end, if
        it goes on at half its best pace."""
        return self._share_below(self.forecast(), -1)

    def forecast(self, share: float = 0.5) -> float:
        """The value at the planned end, at a share of the faster of its average and its recent
        pace; learning curves get flatter."""
        now, count = self.bests[-1], len(self.bests)
        left = max(self.epochs or self.others.shape[1], count) - count
        recent = min(3, count - 1)
        paces = [(self.bests[0] - now) / (count - 1)] if count > 1 else []
        paces += [(self.bests[-1 - recent] - now) / recent] if recent else []
        finite = [pace for pace in paces if math.isfinite(pace)]
        if len(finite) < len(paces) or not finite:
            return -math.inf if math.isfinite(now) else math.inf  # it has just begun
        return now - share * max(finite) * left

    def stalled(self, epochs: int) -> bool:
        """Whether the last so many epochs brought nothing better."""
        if epochs < 1 or len(self.bests) <= epochs:
            return False
        return self.bests[-1] >= self.bests[-1 - epochs]

    def _share_below(self, value: float, column: int) -> float:
        if not self.others.size:
            return 0.0
        at = min(column, self.others.shape[1] - 1)
        return float((self.others[:, at] < value).mean())


def gathers_pace(losses: Sequence[float], least: float = 1e-3, faster: float = 1.2) -> bool:
    """Whether the loss falls faster and faster: a trial that starts late looks bad until then.

    The last two epochs must have brought `least` of the loss each, and `faster` times as much as
    those before them.
    """
    if len(losses) < 4 or not np.isfinite(losses).all():
        return False
    recent = (losses[-3] - losses[-1]) / 2
    before = (losses[0] - losses[-3]) / (len(losses) - 3)
    return recent > least * abs(losses[-1]) and recent > faster * before
