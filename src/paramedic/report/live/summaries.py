"""A line per run for the list: how it is, how far it came, and its loss in a few points."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from paramedic.report.live import standing
from paramedic.report.live.runs import Place, Stamp
from paramedic.report.live.standing import Standing
from paramedic.trace import Trace, TraceError
from paramedic.trace.errors import ForeignDatabase

_POINTS = 48  # of a small curve
_STRETCH = 16  # steps of which a point is the mean
_CURVE_EVERY = 5.0  # seconds between two looks at the whole loss of a run that grows
_PATIENCE = 0.3  # seconds that one round may take; who is left comes in the next


@dataclass(frozen=True, slots=True)
class Summary:
    """One line of the list."""

    place: Place
    stamp: Stamp
    state: str = standing.EMPTY
    standing: Standing = field(default_factory=Standing)
    step: int = -1
    loss: float | None = None
    curve: tuple[float | None, ...] = ()
    curved: float = 0.0  # when the curve was made, by the monotonic clock
    problem: str = ""
    foreign: bool = False  # a database of another program

    def to_json(self, now: float) -> dict[str, Any]:
        """Plain values for the page."""
        age = max(now - self.stamp.seconds, 0.0)
        return {
            "id": self.place.id,
            "name": self.place.name,
            "state": self.state,
            "health": self.standing.tone,
            "verdict": self.standing.verdict or "not judged yet",
            "root": self.standing.root,
            "trend": self.standing.trend,
            "step": self.step,
            "loss": self.loss,
            "curve": list(self.curve),
            "changed": round(self.stamp.seconds),
            "words": standing.words(self.state, age, problem=self.problem),
        }


class Summaries:
    """The lines of all runs, made again only where a trace has changed."""

    def __init__(self) -> None:
        self._known: dict[str, Summary] = {}

    def update(self, places: Sequence[Place]) -> tuple[list[Summary], bool]:
        """The lines in the order of the places, and whether all are up to date."""
        end = time.monotonic() + _PATIENCE
        complete = True
        for place in places:
            known, stamp = self._known.get(place.id), place.stamp()
            if known is None or known.stamp != stamp:
                if time.monotonic() < end:
                    self._known[place.id] = summary(place, stamp, known)
                else:
                    complete = False
                    unread = Summary(place, Stamp(changed=stamp.changed), standing.UNREAD)
                    self._known.setdefault(place.id, unread)
            found = self._known[place.id]
            self._known[place.id] = replace(found, state=_state(found))
        wanted = {place.id for place in places}
        self._known = {key: one for key, one in self._known.items() if key in wanted}
        lines = [self._known[place.id] for place in places]
        return [line for line in lines if not line.foreign], complete


def summary(place: Place, stamp: Stamp, before: Summary | None = None) -> Summary:
    """The line of one run; of its earlier one the curve is kept for a while."""
    line = Summary(place, stamp)
    if not stamp.size:
        return line
    try:
        with Trace.open(place.path) as trace:
            step = trace.last_step
            curve, made = _curve(trace, step, before)
            return replace(
                line,
                state=standing.RUNNING,
                standing=standing.read(trace),
                step=step,
                loss=_newest_loss(trace, step),
                curve=curve,
                curved=made,
            )
    except ForeignDatabase:
        return replace(line, foreign=True)
    except TraceError as error:
        return replace(line, state=standing.DAMAGED, problem=error.problem)


def _state(line: Summary) -> str:
    if line.state in (standing.EMPTY, standing.DAMAGED, standing.UNREAD):
        return line.state
    return standing.state(line.standing, time.time() - line.stamp.seconds)


def _newest_loss(trace: Trace, step: int) -> float | None:
    losses = trace.pulse(max(step - _STRETCH, 0)).loss
    return _finite(float(losses[-1])) if len(losses) else None


def _curve(
    trace: Trace, step: int, before: Summary | None
) -> tuple[tuple[float | None, ...], float]:
    """The mean loss of some stretches spread over the run: reading all of it would take long."""
    now = time.monotonic()
    if before is not None and before.curve and now - before.curved < _CURVE_EVERY:
        return before.curve, before.curved
    if step < 0:
        return (), now
    count = min(_POINTS, step // _STRETCH + 1)
    starts = [
        round(place * max(step + 1 - _STRETCH, 0) / max(count - 1, 1)) for place in range(count)
    ]
    return tuple(_mean(trace, start) for start in starts), now


def _mean(trace: Trace, start: int) -> float | None:
    pulse = trace.pulse(start, start + _STRETCH)
    known = pulse.loss[pulse.finite]
    return _finite(float(known.mean())) if len(known) else None


def _finite(value: float) -> float | None:
    """Six digits of it; JSON has no infinity."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
