"""Law 6: the untouched plan, as what a repaired one has to beat.

Whether a repair is worse than no repair is known only if both were trained to their end. That
costs a whole training, so the untouched plan is trained beside the repaired one in stretches that
double, and is given up as soon as it is clearly out; what is not out is trained to its end.
"""

from __future__ import annotations

import math

from paramedic.treat.heal.attempt import Attempt, Watchfulness
from paramedic.treat.heal.race import metric_at, metric_from
from paramedic.treat.heal.scoring import comparable, not_worse, tolerance
from paramedic.treat.heal.session import Session
from paramedic.treat.resting import NOTHING, is_guess

_POINT = 0.01  # of a metric that has a noise: what a repair may be worse by
_FIRST = 0.125  # share of the plan at which the untouched one is looked at for the first time
_JUDGED = 0.25  # share at which it should have begun to learn, and is compared
_BEHIND = 3.0  # times the noise of the metric that it is behind at the same step


class Rival:
    """The untouched plan. `is_beaten_by` compares a repaired one with it, as far as it was
    trained; `challenge` trains it as far as that comparison needs."""

    def __init__(self, session: Session, untouched: Attempt) -> None:
        self.session, self.untouched = session, untouched
        self.plan, self.measure = session.plan, session.plan.measure

    def is_beaten_by(self, repaired: Attempt, end: float) -> bool:
        """Whether a repaired plan, whose metric is `end` in the end, is not worse than the
        untouched one at the same step, as far as that was trained, beyond chance; and has not
        lost it again by the end."""
        last = self.untouched.last
        assert last is not None
        if not comparable(repaired.plan, self.plan):
            return repaired.last is not None and repaired.last.progress > 0
        allowed = 2 * tolerance(self.measure, self.untouched)  # both were measured by chance
        if last.ended:  # both at their end, and on the same samples
            allowed = min(allowed, _POINT)
        step = round(self.untouched.seen / repaired.plan.batch_size)
        early = end if last.ended else metric_from(repaired, step)
        values = (early, end)
        return all(not_worse(one, last.point.metric, self.measure, allowed) for one in values)

    def challenge(self, repaired: Attempt, end: float) -> None:
        """Train the untouched plan until it is clearly out, or else to its end."""
        if not comparable(repaired.plan, self.plan) or self._is_unbeatable(end):
            return
        steps = self.plan.steps
        while not self._is_out(repaired, end):
            self._train(max(math.ceil(_FIRST * steps), 2 * self.untouched.step))
        if not self.is_beaten_by(repaired, end):  # at that step: then the end has to tell
            self._train(steps)
        self.untouched.release()

    def _train(self, until: int) -> None:
        """Whatever is found on the way."""
        leg, until = self.untouched.last, min(until, self.plan.steps)
        seen: frozenset[str] = frozenset()
        while leg is not None and not leg.ended and leg.step < until:
            seen |= leg.slugs
            leg = self.session.advance(self.untouched, until, Watchfulness(False, seen))

    def _is_unbeatable(self, end: float) -> bool:
        return self.measure.name == "accuracy" and end >= 1 - _POINT

    def _is_out(self, repaired: Attempt, end: float) -> bool:
        """Whether it has ended, cannot go on, has learned nothing, or is far behind."""
        last = self.untouched.last
        if last is None or last.ended or last.error or not math.isfinite(last.point.train_loss):
            return True
        share = last.step / max(self.plan.steps, 1)
        if share < _FIRST:
            return False
        if is_guess(self.plan, last.point.metric):  # some begin with the loss alone
            return share >= _JUDGED or not last.progress > NOTHING
        return share >= _JUDGED and self._is_far_behind(repaired, end)

    def _is_far_behind(self, repaired: Attempt, end: float) -> bool:
        """Whether it is clearly worse at the same step, and would still be at the end if each
        doubling of its training brought as much as the last one; most bring less and less."""
        untouched, measure = self.untouched, self.measure
        now, noise = metric_at(untouched, untouched.step), tolerance(measure, untouched)
        same = metric_at(repaired, round(untouched.seen / repaired.plan.batch_size))
        if not measure.gain(now, same) > _BEHIND * noise:
            return False
        brought = max(measure.gain(metric_at(untouched, untouched.step // 2), now), 0.0)
        doublings = math.log2(self.plan.steps / untouched.step)
        return measure.gain(now, end) > brought * doublings + 2 * noise
