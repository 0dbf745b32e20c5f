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
_LITTLE = 0.05  # of its value: by less, a trial is as good as another
_BEST = 0.1
_FEWEST_BEST = 5  # of fewer, nobody knows what they differ


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
        """The share of the others that are better already than this trial will be at its end, and
        not only by a little."""
        end = self.forecast()
        little = _LITTLE * abs(end) if math.isfinite(end) else 0.0
        return self._share_below(end - little, -1)

    def forecast(self) -> float:
        """The value at the planned end if the trial goes on to gain as much, each time that its
        age grows by the same factor, as it did when it gained most."""
        now, count = self.bests[-1], len(self.bests)
        end = max(self.epochs or self.others.shape[1], count)
        if not math.isfinite(now) or end == count:
            return now
        gains = [0.0]
        for window in {2, 3, count - 1}:
            if 0 < window < count:
                gained = (self.bests[-1 - window] - now) / math.log(count / (count - window))
                gains.append(gained * math.log(end / count))
        return now - max(gains)  # minus infinity if it has just begun

    def far_behind(self, spreads: float) -> bool:
        """Whether the trial is worse than the best tenth were at this age, by so many times what
        these differed: a trial that came from so far is not among them."""
        count = math.ceil(_BEST * len(self.others))
        if not spreads or count < _FEWEST_BEST:
            return False
        column = min(len(self.bests), self.others.shape[1]) - 1
        best = np.argpartition(self.others[:, -1], count - 1)[:count]
        then = self.others[best, column]
        if not np.isfinite(then).all():
            return False
        # As in the prediction interval of Student: of few, the spread is not well known.
        unsure = math.sqrt(1 + 1 / count) * (1 + spreads**2 / (4 * count))
        return self.bests[-1] > float(then.mean() + spreads * unsure * then.std(ddof=1))

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


def gathers_pace(losses: Sequence[float], least: float = 1e-3) -> bool:
    """Whether the loss falls faster than before, now or at the epoch before: a trial that starts
    late looks bad until then.

    Two epochs must have brought `least` of the loss each, and more than those before them; after
    three epochs there are none before them, so that it falls is enough.
    """
    return _faster(losses, least) or (len(losses) > 4 and _faster(losses[:-1], least))


def _faster(losses: Sequence[float], least: float) -> bool:
    if len(losses) < 3 or not np.isfinite(losses).all():
        return False
    recent = (losses[-3] - losses[-1]) / 2
    before = (losses[0] - losses[-3]) / max(len(losses) - 3, 1)
    return recent > least * abs(losses[-1]) and recent > before
