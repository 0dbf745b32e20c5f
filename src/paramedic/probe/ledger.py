"""The account of a run: what each turn of the loop took and cost us, told to the schedule."""

from __future__ import annotations

from time import perf_counter

from paramedic.probe.guard import Guard
from paramedic.probe.ranks import Shards
from paramedic.probe.recorder import Recorder
from paramedic.probe.schedule import Schedule


class Ledger:
    """Asked at the end of each turn, inside a method that runs `aside`."""

    def __init__(self, schedule: Schedule, guard: Guard, recorder: Recorder) -> None:
        self._schedule, self._guard, self._recorder = schedule, guard, recorder
        self._clock, self._spent = perf_counter(), 0.0
        self._paid = 0.0  # seconds of the processor that are accounted for
        self._examined = 0.0  # seconds of examinations that are accounted for
        guard.clocks_processor = schedule.is_generous

    def restart(self) -> None:
        """What has passed until now is accounted for elsewhere."""
        self._clock, self._spent = perf_counter(), self._guard.seconds

    def turn(self, step: int, level: str | None, shards: Shards) -> None:
        """A turn that was looked at in `level`, if at all, is over: plan the next look."""
        schedule = self._schedule
        if schedule.overhead is None and level is not None:
            schedule.looks[level] += 1
            return  # there is nothing to plan: each step is looked at
        seconds, cost = self._measure()
        if level is None:
            schedule.passed(seconds, cost)
            return
        schedule.looked(step, level, seconds, cost)
        distance = schedule.plan(step, level)
        if shards:
            distance = shards.largest(distance)
        schedule.agree(step, level, distance)

    def _measure(self) -> tuple[float, float]:
        """The seconds of the turn, and those of them that were ours, without examinations."""
        schedule, guard = self._schedule, self._guard
        now = perf_counter()
        seconds, self._clock = now - self._clock, now
        spent = guard.spent(now)
        cost, self._spent = spent - self._spent, spent
        if guard.clocks_processor:
            worked = guard.worked()
            schedule.paid(worked - self._paid)
            self._paid = worked
            guard.clocks_processor = schedule.is_generous
        examined = self._recorder.seconds - self._examined
        self._examined += examined
        schedule.examined(examined)
        return seconds, cost - examined
