"""What a replayed study remembers of its trials so far."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence

import numpy as np

from paramedic.hpo.standing import Others, Table
from paramedic.hpo.verdict import LOSSES


class Memory:
    """The best values and the lowest losses of the trials so far, by age; less is better."""

    def __init__(self, epochs: int, trials: int) -> None:
        self._values = _Rows(epochs, trials)
        self._losses = [_Rows(epochs, trials) for _ in LOSSES]
        self._reached: list[list[float]] = [[] for _ in range(epochs + 1)]

    def add(
        self, bests: Sequence[float], epochs: int, losses: Sequence[Sequence[float]] = ()
    ) -> None:
        """A trial that came so far; a loss that is not known is empty."""
        self._values.add(bests, epochs)
        for rows, lowest in zip(self._losses, losses, strict=bool(losses)):
            if lowest:
                rows.add(lowest, epochs)
        for epoch in range(1, epochs + 1):
            insort(self._reached[epoch], bests[epoch - 1])

    def others(self) -> Others:
        """All trials so far; one that ended keeps its last value."""
        return Others(self._values.table(), tuple(rows.table() for rows in self._losses))

    def at(self, epoch: int) -> Sequence[float]:
        """Those that came to this age, in order."""
        return self._reached[min(epoch, len(self._reached) - 1)]


class _Rows:
    """A table that grows by a row per trial."""

    def __init__(self, epochs: int, trials: int) -> None:
        self._table = np.full((trials, epochs), math.inf)
        self._count = 0

    def add(self, lowest: Sequence[float], epochs: int) -> None:
        row = self._table[self._count]
        row[:epochs] = lowest[:epochs]
        if epochs:
            row[epochs:] = lowest[epochs - 1]
        self._count += 1

    def table(self) -> Table:
        return self._table[: self._count]
