"""The last heartbeats of a run, in arrays that a window can look at without copying."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from paramedic.types import Pulse

T = TypeVar("T", bound=np.generic)


class Beats:
    """Remembers the last `capacity` heartbeats.

    Like the frames of `History`: twice the room, append only, and new arrays when it is full, so
    that a `Pulse` handed out before is never overwritten.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._pulse = Pulse(
            np.empty(0, np.int64), np.empty(0), np.empty(0, np.bool_), np.empty(0, np.bool_)
        )
        self._end = 0
        self._renew()

    def add(self, step: int, loss: float, finite: bool, skipped: bool) -> None:
        """Appends a heartbeat."""
        end = self._end
        if end == self._room:
            self._renew()
            end = self._end
        self._step[end] = step
        self._loss[end] = loss
        self._finite[end] = finite
        self._skipped[end] = skipped
        self._end = end + 1

    def extend(self, pulse: Pulse) -> None:
        """Appends many heartbeats."""
        beats = (pulse.step, pulse.loss, pulse.finite, pulse.skipped)
        for beat in zip(*(column.tolist() for column in beats), strict=True):
            self.add(*beat)

    def amend(self, loss: float, finite: bool) -> int | None:
        """Corrects the newest heartbeat and gives its step, or None while there is none."""
        if not self._end:
            return None
        self._loss[self._end - 1] = loss
        self._finite[self._end - 1] = finite
        return int(self._step[self._end - 1])

    def pulse(self) -> Pulse:
        """The heartbeats remembered now, as read-only views."""
        rows = slice(max(self._end - self._capacity, 0), self._end)
        shown = self._pulse
        return Pulse(shown.step[rows], shown.loss[rows], shown.finite[rows], shown.skipped[rows])

    def _renew(self) -> None:
        kept = self.pulse()
        self._end = len(kept)
        self._room = 2 * self._capacity
        self._pulse = Pulse(
            step=_longer(kept.step, self._room),
            loss=_longer(kept.loss, self._room),
            finite=_longer(kept.finite, self._room),
            skipped=_longer(kept.skipped, self._room),
        )
        # Setting an item through a memoryview takes half the time of setting it in the array.
        self._step = _door(self._pulse.step)
        self._loss = _door(self._pulse.loss)
        self._finite = _door(self._pulse.finite)
        self._skipped = _door(self._pulse.skipped)


def _longer(old: NDArray[T], room: int) -> NDArray[T]:
    new = np.zeros(room, old.dtype)
    new[: len(old)] = old
    return new


def _door(array: NDArray[Any]) -> memoryview[Any]:
    """The only way to write into the array from now on."""
    door = memoryview(array)  # type: ignore[arg-type]  # an array is a buffer
    array.flags.writeable = False
    return door
