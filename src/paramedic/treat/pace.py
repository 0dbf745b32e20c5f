"""How often a snapshot may be taken: by a share of the time of the steps between."""

from __future__ import annotations

import math
from collections import deque
from time import perf_counter

from paramedic.probe.median import median

_LEAST, _MOST = 10, 2000  # steps between two snapshots
_SHARE = 0.5  # of the overhead budget
_UNLIMITED = 0.04  # the budget where none was set


class Pace:
    """Plans the distance between snapshots from what they cost; `fixed` sets it instead."""

    def __init__(self, fixed: int | None, overhead: float | None) -> None:
        self._fixed = fixed
        self._share = _SHARE * (overhead or _UNLIMITED)
        self._costs: deque[float] = deque(maxlen=5)
        self._steps: deque[float] = deque(maxlen=31)
        self._clock: float | None = None
        self._due = 0
        self.every = _LEAST if fixed is None else fixed  # the distance that we could afford

    def is_due(self, step: int) -> bool:
        """Whether it is time; called once per step, which tells how long steps take."""
        now = perf_counter()
        if self._clock is not None:
            self._steps.append(now - self._clock)
        self._clock = now
        return step >= self._due

    def took(self, step: int, seconds: float, every: int) -> None:
        """A snapshot was taken; the next one, all ranks agreed, is so many steps away."""
        self._costs.append(seconds)
        self._due = step + every
        if self._fixed is None and self._steps:
            affordable = median(self._costs) / (self._share * max(median(self._steps), 1e-9))
            self.every = min(max(math.ceil(affordable), _LEAST), _MOST)
