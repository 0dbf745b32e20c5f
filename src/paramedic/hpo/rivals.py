"""Rules that end trials: ours, by diagnosis, and those that only look at the values.

Each is asked after every epoch (ours also between two) and sees the trial so far and how far the
trials before it were at the same age. Values are such that less is better.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from paramedic.hpo.judge import Judge
from paramedic.hpo.memory import Memory
from paramedic.hpo.policy import Policy
from paramedic.hpo.timeline import Timeline
from paramedic.hpo.verdict import Decision, Verdict, Visit

_PACES = np.array([0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0])  # exponents of learning curves


class Rule(Protocol):
    """Decides when trials end."""

    def verdicts(self, trial: Timeline, memory: Memory) -> Iterator[tuple[Visit, Verdict]]:
        """What is decided at each moment of a trial that is not let run to its end, in order."""


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """Ends trials by what was found in them."""

    policy: Policy = field(default_factory=Policy)

    def verdicts(self, trial: Timeline, memory: Memory) -> Iterator[tuple[Visit, Verdict]]:
        judge = Judge(self.policy, epochs=len(trial.values))
        last = len(trial.values)
        for place, visit in enumerate(trial.visits, start=1):
            if visit.epoch < last:  # at the end there is nothing left to save
                yield visit, judge.verdict(trial.visits[:place], memory.others)


class _ByValue(ABC):
    """A rule that looks at the values at the end of each epoch."""

    __slots__ = ()
    blames: ClassVar[bool] = True  # whether what it ends is no candidate any more

    @abstractmethod
    def ends(self, trial: Timeline, epoch: int, memory: Memory) -> bool:
        """Whether a trial ends after this epoch."""

    def verdicts(self, trial: Timeline, memory: Memory) -> Iterator[tuple[Visit, Verdict]]:
        decision = Decision.STOP if self.blames else Decision.FINISHED
        for epoch in range(1, len(trial.values)):
            if self.ends(trial, epoch, memory):
                visit = Visit(epoch, epoch)
                yield visit, Verdict(decision, epoch, epoch, type(self).__name__)


@dataclass(frozen=True, slots=True)
class Never(_ByValue):
    """Every trial runs to its end."""

    def ends(self, trial: Timeline, epoch: int, memory: Memory) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class MedianStop(_ByValue):
    """Ends a trial whose best is worse than the median of the others at the same age."""

    fewest: int = 5
    warm_up: int = 2

    def ends(self, trial: Timeline, epoch: int, memory: Memory) -> bool:
        if epoch <= self.warm_up:
            return False
        others = memory.at(epoch)
        return len(others) >= self.fewest and trial.best_after(epoch) > float(np.median(others))


@dataclass(frozen=True, slots=True)
class Asha(_ByValue):
    """Asynchronous successive halving: at each rung only the best 1/`factor` go on."""

    factor: int = 3
    first: int = 2

    def ends(self, trial: Timeline, epoch: int, memory: Memory) -> bool:
        if epoch not in self._rungs(len(trial.values)):
            return False
        others = memory.at(epoch)
        promoted = (len(others) + 1) // self.factor
        best = trial.best_after(epoch)
        return sum(other < best for other in others) >= max(promoted, 1)

    def _rungs(self, epochs: int) -> list[int]:
        count = int(math.log(max(epochs / self.first, 1), self.factor)) + 1
        return [self.first * self.factor**place for place in range(count)]


@dataclass(frozen=True, slots=True)
class Hyperband(_ByValue):
    """Successive halving in brackets that begin at different ages, trial by trial in turn."""

    factor: int = 3
    first: int = 1
    brackets: int = 3

    def ends(self, trial: Timeline, epoch: int, memory: Memory) -> bool:
        first = self.first * self.factor ** (trial.number % self.brackets)
        return Asha(self.factor, first).ends(trial, epoch, memory)


@dataclass(frozen=True, slots=True)
class CurveExtrapolation(_ByValue):
    """Ends a trial whose learning curve, extrapolated, stays behind the best trial so far.

    A power law is fitted to the best values so far; `margin` is the share of the best trial's
    gain by which the forecast may fall short.
    """

    first: int = 6
    margin: float = 0.05
    fewest: int = 5

    def ends(self, trial: Timeline, epoch: int, memory: Memory) -> bool:
        if epoch < self.first:
            return False
        others = [one for one in memory.at(len(trial.values)) if math.isfinite(one)]
        if len(others) < self.fewest:
            return False
        best, middle = min(others), float(np.median(others))
        forecast = extrapolated(trial.bests[:epoch], len(trial.values))
        return forecast > best + self.margin * max(abs(best), abs(middle - best))


def extrapolated(values: Sequence[float], end: int) -> float:
    """What a power law through the values says of epoch `end`; infinite if one is not finite."""
    curve = np.asarray(values, float)
    if len(curve) < 3 or not np.isfinite(curve).all():
        return math.inf
    fits = _fits(len(curve))
    errors = [float(((laws @ (solve @ curve) - curve) ** 2).sum()) for laws, solve in fits]
    best = int(np.argmin(errors))
    level, gain = fits[best][1] @ curve
    return float(level + gain * end ** -_PACES[best])


@cache
def _fits(count: int) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """For each pace, the law's values over `count` epochs and what solves for its two numbers."""
    ages = np.arange(1, count + 1)[:, None]
    laws = [np.hstack([np.ones((count, 1)), ages**-pace]) for pace in _PACES]
    return [(one, np.linalg.pinv(one)) for one in laws]


@dataclass(frozen=True, slots=True)
class Patience(_ByValue):
    """Ends a trial that has gained nothing for some epochs; it keeps its value."""

    blames = False

    epochs: int = 5

    def ends(self, trial: Timeline, epoch: int, memory: Memory) -> bool:
        if epoch <= self.epochs:
            return False
        return trial.best_after(epoch) >= trial.best_after(epoch - self.epochs)


RIVALS: dict[str, Callable[[], Rule]] = {
    "none": Never,
    "median": MedianStop,
    "asha": Asha,
    "hyperband": Hyperband,
    "extrapolation": CurveExtrapolation,
    "patience": Patience,
}
