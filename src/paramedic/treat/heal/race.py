"""A race: candidates and the plan as it is, from the same seed, a short stretch; halve; again."""

from __future__ import annotations

import math
from collections.abc import Sequence

from paramedic.treat.heal.attempt import Attempt, Leg, Watchfulness
from paramedic.treat.heal.scoring import (
    LOST,
    Score,
    comparable,
    levelled,
    not_worse,
    score,
    thrives,
    tolerance,
)
from paramedic.treat.heal.session import Session
from paramedic.treat.resting import is_guess
from paramedic.types import Finding

_PATIENCE = 0.5  # share of its plan up to which a candidate may catch up
_MISTAKES = frozenset({
    "improper-output-activation", "improper-loss", "invalid-labels", "loss-shape-mismatch",
    "abnormal-data",
})  # fmt: skip
_EVERYTHING_GOES = Watchfulness(serious=False)


class Race:
    """One race against one problem. `run` gives the winner: a candidate, or the present attempt
    if none of them is better."""

    def __init__(
        self, session: Session, present: Attempt, entries: Sequence[Attempt], finding: Finding
    ) -> None:
        self.session, self.present, self.finding = session, present, finding
        self.entries = list(entries)
        self.measure = session.plan.measure

    def run(self) -> Attempt:
        """Stretch by stretch, until one is left; then that one against the present attempt."""
        options, steps = self.session.options, self.session.plan.steps
        stretch = options.stretch(self.finding.step, steps)
        left, ranked = self.entries, self.entries
        for rung in range(options.rungs):
            until = min(stretch * 2**rung, steps)
            ranked = self._heat(left, until)
            left = ranked[: max(math.ceil(len(ranked) / 2), 1)]
            if len(left) <= 1:
                break
        for entry in self.entries:
            if entry not in left[:1]:
                self._outrun(entry)
        return self._against_present(ranked) if ranked else self.present

    def _outrun(self, entry: Attempt) -> None:
        entry.verdict = entry.verdict if entry.verdict != "not run" else "outrun"
        entry.release()

    def _heat(self, entries: Sequence[Attempt], until: int) -> list[Attempt]:
        """All to a step; gives those that can run on, best first."""
        fair = [self._fair(entry, until) for entry in entries]
        legs = self.session.advance_all(entries, fair, _EVERYTHING_GOES)
        scores = {entry.number: self._score(leg) for entry, leg in zip(entries, legs, strict=True)}
        for entry, leg in zip(entries, legs, strict=True):
            if not scores[entry.number].runs:
                entry.verdict = f"failed: {leg.error or 'not finite'}"
        running = [entry for entry in entries if scores[entry.number].runs]
        alike = all(comparable(entry.plan, self.present.plan) for entry in running)
        ranks = levelled({entry.number: scores[entry.number] for entry in running})
        return sorted(running, key=lambda one: _order(ranks[one.number], alike), reverse=True)

    def _fair(self, entry: Attempt, until: int) -> int:
        """The step at which as many samples were seen as in `until` steps of the plan."""
        return max(round(until * self.session.plan.batch_size / entry.plan.batch_size), 1)

    def _score(self, leg: Leg) -> Score:
        plan = self.session.plan
        chance = plan.guessing + tolerance(self.measure, self.present)
        return score(leg, self.finding.slug, self.measure, chance)

    def _against_present(self, ranked: Sequence[Attempt]) -> Attempt:
        """The best candidate, if the problem is gone and it is not worse at the same step. While
        it is waited for, the second runs on as long as it is not clearly the worse: which of two
        slow starts goes further is not known yet."""
        best, rest = ranked[0], self._level_with(ranked[0], ranked[1:2])
        while not self._holds(best) and self._may_wait(best):
            until = round(2 * best.seen / self.session.plan.batch_size)
            both = self._heat([best, *rest], until) or [best]
            best, rest = both[0], self._level_with(both[0], both[1:])
        for entry in ranked[:2]:
            if entry is not best:
                self._outrun(entry)
        return self._accepted(best)

    def _level_with(self, best: Attempt, others: Sequence[Attempt]) -> list[Attempt]:
        """Those that are not clearly worse than the best."""
        noise = tolerance(self.measure, self.present)
        metric = best.last.point.metric if best.last else math.nan
        return [
            one
            for one in others
            if one.last is not None
            and not_worse(one.last.point.metric, metric, self.measure, noise)
        ]

    def _accepted(self, best: Attempt) -> Attempt:
        if self._holds(best):
            best.verdict = "won"
            return best
        gone = self._is_gone(best)
        best.verdict = "worse than the present plan" if gone else "the problem is still there"
        best.release()
        return self.present

    def _is_gone(self, best: Attempt) -> bool:
        return best.last is not None and self._score(best.last).gone

    def _holds(self, best: Attempt) -> bool:
        leg = best.last
        if leg is None or not self._is_gone(best):
            return False
        return self._is_no_worse(best, leg, self._reference(best.seen))

    def _may_wait(self, best: Attempt) -> bool:
        """What is plainly wrong is not left for a slow start of what is right."""
        leg = best.last
        if leg is None or leg.ended or leg.error or self.finding.slug not in _MISTAKES:
            return False
        return 2 * best.step <= _PATIENCE * best.plan.steps

    def _is_no_worse(self, best: Attempt, leg: Leg, reference: float) -> bool:
        if not comparable(best.plan, self.present.plan):
            return leg.progress > 0  # all that can be said of another loss is that it falls
        noise = tolerance(self.measure, self.present)
        if self.thrives:  # then it is changed only for something that is better beyond chance
            return self.measure.gain(reference, leg.point.metric) > noise
        if self._only_guesses(reference):  # then anything is as good
            return True
        # What is plainly wrong stays wrong: so early, both may be measured by chance.
        allowed = 2 * noise if self.finding.slug in _MISTAKES else noise
        return not_worse(leg.point.metric, reference, self.measure, allowed)

    def _only_guesses(self, reference: float) -> bool:
        """Whether the present attempt is no better than guessing, at that step or by now."""
        plan, last = self.present.plan, self.present.last
        return is_guess(plan, reference) or (last is not None and is_guess(plan, last.point.metric))

    @property
    def thrives(self) -> bool:
        """Whether the present attempt learns well, whatever was found: the finding may be wrong.
        What is plainly a mistake is put right nevertheless."""
        if self.finding.slug in _MISTAKES or LOST in self.finding.evidence:
            return False
        return thrives(self.present)

    def _reference(self, samples: int) -> float:
        """The metric of the present attempt after as many samples; trained on if it has to be."""
        present = self.present
        step = round(samples / present.plan.batch_size)
        last = present.last
        if last is not None and not last.ended and present.step < step:
            watchfulness = Watchfulness(accepted=last.slugs, serious=False)
            self.session.advance(present, step, watchfulness)
        return metric_at(present, step)


def _order(score: Score, alike: bool) -> tuple[object, ...]:
    """What to sort by; where metrics cannot be compared, by the share of the loss that is gone."""
    if alike:
        return score.order
    return score.runs, score.gone, score.clean, score.progress


def metric_from(attempt: Attempt, step: int) -> float:
    """The metric at the first point from a step on; the newest one if there is none after it."""
    after = [point for point in attempt.points if point.step >= step]
    return after[0].metric if after else metric_at(attempt, step)


def metric_at(attempt: Attempt, step: int) -> float:
    """The metric at the newest point up to a step; the first one if there is none before."""
    before = [point for point in attempt.points if point.step <= step]
    if before:
        return before[-1].metric
    return attempt.points[0].metric if attempt.points else math.nan
