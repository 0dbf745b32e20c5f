"""What a replayed study remembers of its trials so far."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence

import numpy as np

from paramedic.hpo.standing import Table


class Memory:
    """The best values of the trials so far, by age; less is better."""

    def __init__(self, epochs: int, trials: int) -> None:
        self._table = np.full((trials, epochs), math.inf)
        self._reached: list[list[float]] = [[] for _ in range(epochs + 1)]
        self._count = 0

    def add(self, bests: Sequence[float], epochs: int) -> None:
        """A trial that came so far."""
        row = self._table[self._count]
        row[:epochs] = bests[:epochs]
        if epochs:
            row[epochs:] = bests[epochs - 1]
        self._count += 1
        for epoch in range(1, epochs + 1):
            insort(self._reached[epoch], bests[epoch - 1])

    def table(self) -> Table:
        """All trials so far; one that ended keeps its last value."""
        return self._table[: self._count]

    def at(self, epoch: int) -> Sequence[float]:
        """Those that came to this age, in order."""
        return self._reached[min(epoch, len(self._reached) - 1)]
