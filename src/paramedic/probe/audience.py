"""Those who are told while a run goes on: trackers that keep its numbers, a display that shows it.

They are handed in, and known here only by what they can do. What they cost is kept within a share
of the budget, by telling them less often, and counts as cost of watching. An error in one of them
is told once and switches it off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

from paramedic.diagnose.status import Status
from paramedic.diagnose.summary import Summary
from paramedic.probe import ranks
from paramedic.probe.guard import Guard
from paramedic.probe.randomness import random_streams
from paramedic.types import Chart, Epoch, Finding, Frame, Remedy

_SHARE = 0.25  # of the budget, for the sinks together and for the display
_WITHOUT_BUDGET = 0.05  # of the time, for the display of a run without a budget
_REFRESH = 0.25  # seconds between two pictures, at least


@runtime_checkable
class Sink(Protocol):
    """Keeps the numbers of a run somewhere else. Nothing is called before the first frame."""

    def frame(self, frame: Frame, chart: Chart) -> None:
        """A step that was looked at; of many frames some are left out, never the last."""

    def epoch(self, epoch: Epoch) -> None:
        """The numbers of an epoch."""

    def finding(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        """Something is certain, and this may help."""

    def close(self, summary: Summary, trace: Path | None) -> None:
        """The run is over; `trace` is its record, complete, if there is one."""


class Display(Protocol):
    """Shows how a run stands."""

    @property
    def seconds(self) -> float:
        """That it took when it was not called: around what the program prints."""

    def show(self, status: Status) -> None:
        """A new picture."""

    def close(self, status: Status, remedies: Sequence[Remedy], trace: Path | None) -> None:
        """The last picture."""


class Pace:
    """Keeps something that is done again and again within a share of the time.

    The first time does not count: what it opens is opened once. Of the last few the cheapest
    does, because a machine that is busy elsewhere says nothing.
    """

    def __init__(self, share: float | None, shortest: float = 0.0) -> None:
        self._share, self._shortest = share, shortest
        self._costs: deque[float] = deque(maxlen=3)
        self._first = True
        self._next = 0.0

    def is_due(self, now: float) -> bool:
        """Whether it may be done now."""
        return now >= self._next

    def took(self, now: float, cost: float) -> None:
        """It was done, and took `cost` seconds."""
        if not self._first:
            self._costs.append(cost)
        self._first = False
        wait = min(self._costs, default=0.0) / self._share if self._share else 0.0
        self._next = now + max(wait, self._shortest)


class Audience:
    """The sinks and the display of one run; only the first rank has them."""

    def __init__(
        self,
        sinks: Sequence[Sink],
        display: Display | None,
        guard: Guard,
        overhead: float | None,
        status: Callable[[], Status],
    ) -> None:
        mine = ranks.rank() == 0
        self._sinks = {_name(one, place): one for place, one in enumerate(sinks) if mine}
        self._display = display if mine else None
        self._guard, self._status = guard, status
        self._keeping = Pace(None if overhead is None else _SHARE * overhead)
        seen = _WITHOUT_BUDGET if overhead is None else _SHARE * overhead
        self._showing = Pace(seen, _REFRESH)
        self._waiting: tuple[Frame, Chart] | None = None  # the newest that was not told
        self._elsewhere = 0.0  # seconds of the display that are accounted for
        self.seconds = 0.0  # spent so far
        self.once = 0.0  # of these, on opening and closing the sinks
        self._opened = False

    def __bool__(self) -> bool:
        return bool(self._sinks) or self._display is not None

    def frame(self, frame: Frame, chart: Chart) -> None:
        """A step was looked at."""
        begin = perf_counter()
        if self._sinks:
            self._waiting = frame, chart
            if self._keeping.is_due(begin):
                self._keep()
        if self._display is not None and self._showing.is_due(begin):
            self._show()
        self._account(begin)

    def epoch(self, epoch: Epoch) -> None:
        """An epoch has ended."""
        begin = perf_counter()
        for name, sink in self._sinks.items():
            self._attempt(name, sink.epoch, epoch)
        self._account(begin)

    def finding(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        """Something is certain."""
        begin = perf_counter()
        for name, sink in self._sinks.items():
            self._attempt(name, sink.finding, finding, remedies)
        self._account(begin)

    def close_sinks(self, summary: Summary, trace: Path | None) -> None:
        """The run is over, its record complete."""
        if self._waiting is not None:
            self._keep()
        begin = perf_counter()
        for name, sink in self._sinks.items():
            self._attempt(name, sink.close, summary, trace)
        self.once += perf_counter() - begin

    def close_display(self, remedies: Sequence[Remedy], trace: Path | None) -> None:
        """The last picture."""
        if self._display is not None:
            self._guard.attempt("display", self._display.close, self._status(), remedies, trace)

    def release(self) -> None:
        """Ask nobody any more how the run stands."""
        self._sinks, self._display, self._status = {}, None, Status

    def _keep(self) -> None:
        assert self._waiting is not None
        (frame, chart), self._waiting = self._waiting, None
        begin = perf_counter()
        for name, sink in self._sinks.items():
            self._attempt(name, sink.frame, frame, chart)
        now = perf_counter()
        self._keeping.took(now, now - begin)
        if not self._opened:
            self._opened = True
            self.once += now - begin

    def _show(self) -> None:
        assert self._display is not None
        display = self._display
        begin = perf_counter()
        self._guard.attempt("display", lambda: display.show(self._status()))
        now = perf_counter()
        self._showing.took(now, now - begin)

    def _attempt(self, name: str, call: Callable[..., None], *args: Any) -> None:
        """Other people's libraries may draw random numbers, for the name of a run, say."""
        with random_streams():
            self._guard.attempt(name, call, *args)

    def _account(self, begin: float) -> None:
        self.seconds += perf_counter() - begin
        if self._display is not None:
            elsewhere, self._elsewhere = self._elsewhere, self._display.seconds
            self._guard.seconds += self._elsewhere - elsewhere
            self.seconds += self._elsewhere - elsewhere


def _name(sink: Sink, place: int) -> str:
    return f"sink {place + 1}, {type(sink).__name__}"


def check_sinks(sinks: Sequence[Sink]) -> None:
    """Complain about what cannot be told anything, before the run begins."""
    if not isinstance(sinks, Sequence):
        raise TypeError(f"`sinks` must be a list of sinks but got {type(sinks).__name__}.")
    for one in sinks:
        if isinstance(one, type) or not isinstance(one, Sink):
            name = one.__name__ if isinstance(one, type) else type(one).__name__
            raise TypeError(
                f"`sinks` must have the methods `frame`, `epoch`, `finding` and `close`, but got "
                f"{'the class ' if isinstance(one, type) else ''}`{name}`."
            )
