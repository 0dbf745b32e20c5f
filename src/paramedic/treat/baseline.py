"""The usual range of a number that is seen at every step."""

from __future__ import annotations

from collections import deque

_RENEW = 8  # values after which the range is computed anew
_HIGH = 0.97  # the share of values that are not high


class Baseline:
    """Median, robust spread, high end and top of the last `size` values, once there are `least`.

    Computed anew every few values only: it is asked at every step, and hardly moves.
    """

    __slots__ = ("_fresh", "_least", "_values", "high", "median", "ready", "sigma", "top")

    def __init__(self, size: int, least: int) -> None:
        self._values: deque[float] = deque(maxlen=max(size, least))
        self._least = least
        self.clear()

    def clear(self) -> None:
        """Forget everything: the usual has changed."""
        self._values.clear()
        self._fresh = 0
        self.ready = False
        self.median = self.sigma = self.high = self.top = 0.0

    def __len__(self) -> int:
        return len(self._values)

    def add(self, value: float) -> None:
        """One more usual value."""
        self._values.append(value)
        self._fresh += 1
        if len(self._values) == self._least or (self.ready and self._fresh >= _RENEW):
            self._renew()

    def _renew(self) -> None:
        ordered = sorted(self._values)
        count = len(ordered)
        self.median = _middle(ordered)
        self.sigma = 1.4826 * _middle(sorted(abs(value - self.median) for value in ordered))
        self.high = ordered[min(int(_HIGH * count), count - 1)]
        self.top = ordered[-1]
        self._fresh, self.ready = 0, True


def _middle(ordered: list[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else 0.5 * (ordered[half - 1] + ordered[half])
