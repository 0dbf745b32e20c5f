"""A line per run for the list: how it is, how far it came, and its loss in a few points."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from paramedic.report.live import standing
from paramedic.report.live.glance import glance
from paramedic.report.live.runs import MOST_RUNS, Place, Stamp
from paramedic.report.live.standing import Standing
from paramedic.trace import TraceError
from paramedic.trace.errors import ForeignDatabase

_CURVE_EVERY = 5.0  # seconds between two looks at the loss from its start, of a run that grows
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
        """Plain values for the page, which words the usual states itself: it has a clock."""
        age = max(now - self.stamp.seconds, 0.0)
        is_usual = self.state in (standing.RUNNING, standing.ENDED, standing.SILENT)
        return {
            "id": self.place.id,
            "name": self.place.name,
            "state": self.state,
            "health": self.standing.tone,
            "verdict": self.standing.verdict or "not judged yet",
            "root": self.standing.root,
            "step": self.step,
            "loss": self.loss,
            "curve": heights(self.curve),
            "changed": round(self.stamp.seconds),
            "words": "" if is_usual else standing.words(self.state, age, problem=self.problem),
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
            if found.state != (state := _state(found)):
                self._known[place.id] = replace(found, state=state)
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
        with glance(place, stamp) as trace:
            now = time.monotonic()
            is_fresh = before is not None and before.curve and now - before.curved < _CURVE_EVERY
            return replace(
                line,
                state=standing.RUNNING,
                standing=standing.brief(trace),
                step=trace.newest_step,
                loss=trace.newest_loss,
                curve=before.curve if before is not None and is_fresh else trace.curve(),
                curved=before.curved if before is not None and is_fresh else now,
            )
    except ForeignDatabase:
        return replace(line, foreign=True)
    except TraceError as error:
        return replace(line, state=standing.DAMAGED, problem=error.problem)


def _state(line: Summary) -> str:
    if line.state in (standing.EMPTY, standing.DAMAGED, standing.UNREAD):
        return line.state
    return standing.state(line.standing, time.time() - line.stamp.seconds)


@lru_cache(2 * MOST_RUNS)
def heights(curve: tuple[float | None, ...]) -> list[int | None]:
    """Of the points of a small curve, from 0 to 99; by their logarithms, if all have one."""
    known = [value for value in curve if value is not None]
    is_positive = bool(known) and min(known) > 0
    scaled = [None if one is None else math.log(one) if is_positive else one for one in curve]
    low = min((one for one in scaled if one is not None), default=0.0)
    high = max((one for one in scaled if one is not None), default=0.0)
    return [
        None if one is None else round(99 * ((one - low) / (high - low or 1.0))) for one in scaled
    ]
