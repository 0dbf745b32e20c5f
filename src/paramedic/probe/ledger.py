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
        self._examined = 0.0  # seconds of examinations in turns that are accounted for
        guard.clocks_processor = schedule.is_generous

    def restart(self) -> None:
        """What has passed until now is accounted for elsewhere."""
        self._clock, self._spent = perf_counter(), self._guard.seconds

    def beside(self) -> None:
        """What was spent since the last turn was on no look, like the end of an epoch: the next
        looks wait until it is paid for. Asked inside a method that runs `aside`."""
        spent = self._guard.spent(perf_counter())
        self._schedule.owe(spent - self._spent)
        self._spent, self._examined = spent, self._recorder.seconds

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
        planned = schedule.plan(step, level), schedule.wait()
        schedule.agree(step, level, *(shards.largest(*planned) if shards else planned))

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
        schedule.owe(examined)
        # Who asks for findings may have an examination made that is no part of a turn.
        return seconds, max(cost - examined, 0.0)
