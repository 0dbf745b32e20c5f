"""When to look: as often as a share of the training time allows, and not more.

A look costs what it costs; what the schedule chooses is the distance to the next one. It is
chosen at a look, from the measured cost of looks of that level and the measured time of a plain
step, so that a step in between costs one comparison, and so that all ranks of a sharded model,
which must look together, can agree on it.
"""

from __future__ import annotations

import math
from collections import deque

from paramedic.probe.median import median

VITALS, FULL = "vitals", "full"

_FIRST = 5  # the first steps are always seen in full
# How the two levels divide the budget. The rest is for what our clocks do not see: a look leaves
# the caches of the processor full of us.
_SHARES = {VITALS: 0.35, FULL: 0.5}
_MOST_DEBT = 100  # steps: the first examinations of a fast loop must not blind us for long
_LONGEST = 10_000  # steps: never look away for longer
_ALERT = 3  # looks in a row after a jump of the gradient
_GLANCES = 0.6  # of the budget, that glances at the steps between may take
_HURRIED = 0.75  # of the budget, beyond which steps without a look are so fast that little is left
_SPARSER = 16  # within the allowance, look again after this part of the steps so far


class Schedule:
    """Decides the level of the look at each step: `full`, `vitals` or none.

    `overhead` is the share of step time to keep to, or None to look at every step. `allowance`
    is what may be spent beyond it, in seconds of the processor, on looks that become rarer as the
    run goes on: a share of a run of a few seconds is too little to learn anything from, and on a
    busy machine everything takes longer but costs the same.
    """

    def __init__(self, overhead: float | None, highest: str = FULL, allowance: float = 0.0) -> None:
        self.overhead = overhead
        self._allowance = allowance
        self.highest = highest
        self.looks = {VITALS: 0, FULL: 0}
        self._due = {VITALS: 0, FULL: 0}
        self._costs = {VITALS: deque[float](maxlen=9), FULL: deque[float](maxlen=9)}
        self._plain: deque[float] = deque(maxlen=31)
        self._idle: deque[float] = deque(maxlen=31)
        self._seen = 0
        self._debt = 0.0  # steps that all the rest is worth: examinations, epochs
        self._alert = 0  # looks that follow at once
        self.quiet_until = 0  # the step at which the looks of the last alert are paid for
        self._glances: deque[float] = deque(maxlen=31)

    def level(self, step: int) -> str | None:
        """What to look at in `step`."""
        if self.overhead is None or self._seen < _FIRST or self._alert:
            return self.highest
        if step >= self._due[FULL] and self.highest == FULL:
            return FULL
        return VITALS if step >= self._due[VITALS] else None

    @property
    def due(self) -> int:
        """The step of the next look."""
        if self.highest == VITALS:
            return self._due[VITALS]
        return min(self._due.values())

    def next_look(self, step: int) -> tuple[int, bool]:
        """The step of the next look after `step`, and whether jumps are not told until then."""
        is_quiet = step < self.quiet_until
        return (min(self.due, self.quiet_until) if is_quiet else self.due), is_quiet

    def alert(self, step: int) -> bool:
        """Something has jumped: the next steps are looked at, whatever they cost. False if the
        looks of an alert before have not been paid for yet: in a storm not every one counts."""
        if step < self.quiet_until and not self._alert:
            return False
        self._alert = self._alert or _ALERT
        return True

    def glanced(self, cost: float) -> None:
        """A glance at the gradient cost `cost`."""
        self._glances.append(cost)

    @property
    def stride(self) -> int:
        """The steps from one glance to the next that the budget allows."""
        if self.overhead is None or not self._glances or not self._plain:
            return 1
        plain = max(median(self._plain), 1e-9)
        idle = median(self._idle) if self._idle else 0.0
        # Glances come first, unless the mere noting of losses has used the budget up.
        hurried = idle > _HURRIED * self.overhead * plain
        share = self._left(plain) if hurried else self.overhead
        return max(math.ceil(median(self._glances) / (_GLANCES * share * plain)), 1)

    @property
    def glances(self) -> float:
        """What the glances cost, per step."""
        return median(self._glances) / self.stride if self._glances else 0.0

    def _left(self, plain: float, more: float = 0.0) -> float:
        """What the steps between two looks leave of the budget; never nothing."""
        assert self.overhead is not None
        idle = median(self._idle) if self._idle else 0.0
        return max(self.overhead - (idle + more) / plain, 0.1 * self.overhead)

    def passed(self, seconds: float, cost: float) -> None:
        """A step without a look took `seconds`, of which `cost` was ours."""
        self._plain.append(seconds - cost)
        self._idle.append(cost)

    def looked(self, step: int, level: str, seconds: float, cost: float) -> None:
        """A look at `level` in `step` cost `cost` of the step's `seconds`."""
        self.looks[level] += 1
        self._seen += 1
        self._costs[level].append(cost)
        self._plain.append(max(seconds - cost, 0.0))
        if self._alert:
            self._alert -= 1
            self._put_off(step, cost)

    def _put_off(self, step: int, cost: float) -> None:
        """A look that was not planned cost `cost`: all others wait until it is paid for."""
        if self.overhead is not None:
            steps = cost / (self.overhead * max(median(self._plain), 1e-9))
            self.quiet_until = max(self.quiet_until, step) + math.ceil(min(steps, _LONGEST))

    @property
    def is_generous(self) -> bool:
        """Whether something of the allowance is left."""
        return self._allowance > 0

    def paid(self, processor: float) -> None:
        """Looks and examinations took so many seconds of the processor."""
        self._allowance -= processor

    def owe(self, cost: float) -> None:
        """Something else than a look took `cost`: the next looks wait until that is paid for."""
        if cost > 0 and self.overhead is not None and self._plain:
            self._debt += cost / (self.overhead * max(median(self._plain), 1e-9))

    def wait(self) -> int:
        """The number of steps by which all looks are put off, to pay for what is owed."""
        debt, self._debt = min(self._debt, _MOST_DEBT), 0.0
        return math.ceil(debt)

    def plan(self, step: int, level: str) -> int:
        """The number of steps until the next look of `level`, by the costs measured so far."""
        if self.overhead is None or not self._plain or not self._costs[level]:
            return 1
        plain = max(median(self._plain), 1e-9)
        # What the steps between two looks cost comes out of the same budget.
        budget = self._left(plain, self.glances) * _SHARES[level]
        if self.highest == VITALS:
            budget /= _SHARES[VITALS]
        distance = math.ceil(median(self._costs[level]) / (budget * plain))
        longest = step // _SPARSER if level == FULL and self.is_generous else _LONGEST
        return max(min(distance, longest), 1)

    def agree(self, step: int, level: str, distance: int, wait: int = 0) -> None:
        """Set what `plan` and `wait` proposed, or what all ranks agreed on."""
        self._due[level] = step + distance
        if level == FULL:
            self._due[VITALS] = max(self._due[VITALS], step + 1)
        self._due[VITALS] += wait
        if not self.is_generous:
            self._due[FULL] += wait
            self._due = {one: max(due, self.quiet_until) for one, due in self._due.items()}
