"""When a fault is there: from which step, how often, and for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from paramedic.inject.fault import InjectionError


@dataclass(frozen=True, slots=True)
class Timetable:
    """Occasions that begin at the steps `at`, `at + every`, `at + 2 * every` …, at most `times`
    of them, each `duration` steps long. Training Doctor's pattern is 500, 2000, 2, 1."""

    at: int = 500
    every: int | None = None
    times: int = 1
    duration: float = 1

    def __post_init__(self) -> None:
        _whole("at", self.at, 0)
        _whole("times", self.times, 1)
        if self.duration != math.inf:
            _whole("duration", self.duration, 1)
        if self.every is not None:
            _whole("every", self.every, 1)
            self._check_distance(self.every)
        elif self.times > 1:
            raise InjectionError(
                f"`times={self.times}` needs `every`: the number of steps from one to the next."
            )

    def _check_distance(self, every: int) -> None:
        if self.times > 1 and self.duration > every:
            lasts = "to the end" if self.duration == math.inf else f"{self.duration:g} steps"
            raise InjectionError(
                f"The fault lasts {lasts}, so it cannot begin again every {every} steps. "
                "Give a shorter `duration`, or leave `every` and `times` out."
            )

    def occasion(self, step: int) -> int | None:
        """Which occasion, from 0, the step belongs to; None if the fault is not there."""
        since = step - self.at
        number = 0 if self.every is None else since // self.every
        if since < 0 or number >= self.times:
            return None
        return number if since - number * (self.every or 0) < self.duration else None


def _whole(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InjectionError(
            f"`{name}` must be a whole number of at least {least} but got {value!r}."
        )
