"""How a run stands, noted in its trace while it goes on: for the live page, and for whoever finds
the trace of a run that was killed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

KEY = "standing"  # of the trace's meta
_EVERY = 5.0  # seconds between two notes while nothing happens
_SHARE = 1000  # times what a note costs that must pass before the next


class Standing:
    """Decides when to note: at once when a case was opened, else every few seconds."""

    def __init__(self, note: Callable[[str, Any], None]) -> None:
        self._note = note
        self._next = perf_counter() + _EVERY

    def wake(self) -> None:
        """Something was found."""
        self._next = 0.0

    def tell(self, ask: Callable[[], Mapping[str, Any]]) -> None:
        """Note what `ask` says, if it is time to."""
        begin = perf_counter()
        if begin >= self._next:
            self._note(KEY, {**ask(), "ended": False})
            end = perf_counter()
            self._next = end + max(_EVERY, _SHARE * (end - begin))
