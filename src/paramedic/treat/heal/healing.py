"""`paramedic.heal`: train a plan, find what is wrong, treat it, and prove that it helped."""

from __future__ import annotations

import math
from pathlib import Path

from paramedic.diagnose.detectors.overfitting import Overfitting
from paramedic.probe.attach import is_off
from paramedic.treat.heal.attempt import Attempt, Leg, Treatment, Watchfulness
from paramedic.treat.heal.entries import STOP_EARLY, Entries, rank
from paramedic.treat.heal.options import Options
from paramedic.treat.heal.outcome import FAILED, HEALED, HEALTHY, Outcome, tried
from paramedic.treat.heal.progress import Listener
from paramedic.treat.heal.quiet import quiet_monitors
from paramedic.treat.heal.race import Race, metric_at
from paramedic.treat.heal.rival import Rival
from paramedic.treat.heal.scoring import (
    SLOWER,
    has_lost_its_best,
    left,
    not_worse,
    slower,
    thrives,
    tolerance,
)
from paramedic.treat.heal.session import Session
from paramedic.treat.plan import Plan
from paramedic.treat.resting import is_guess
from paramedic.types import Finding

_BY_HEART = Overfitting.slug
_RISEN = 1.1  # times its lowest value, from which on a validation loss has risen


def heal(  # noqa: PLR0913 - these are the settings a user knows, each with a default
    plan: Plan,
    *,
    strategy: str = "race",
    workers: int = 1,
    ray: bool = False,
    out: Path | str | None = None,
    progress: Listener | None = None,
    options: Options | None = None,
) -> Outcome:
    """Train a plan; if something is wrong, repair it and prove that it helped.

    A healthy plan is trained once and left alone. Otherwise remedies for what was found are tried
    from the same seed and the same weights. A repair counts only if the problem is gone and the
    metric is not worse than that of the untouched run at the same step, nor at the end: what was
    found and did no harm is told and left alone. If no remedy is left the outcome is `failed`,
    with the whole log and the best model of the history.

    Args:
        plan: the training. What cannot work is told at once (`PlanError`).
        strategy: `race` runs several remedies (and the plan as it is) for a short stretch, keeps
            the better half, and finishes only the winner; `sequential` tries one after the other,
            as AUTOTRAINER does.
        workers: processes for the stretches of a race; with more than 1, `out` is needed.
        ray: send those stretches to a Ray cluster, that of RAY_ADDRESS or one that is started
            here; needs `out`, too.
        out: a folder for traces, checkpoints, the repaired plan and its weights. The same call
            with the same folder goes on where it was interrupted.
        progress: called with a `Progress` while it works.
        options: all settings at once, instead of `strategy`, `workers` and `ray`.

    Example:
        >>> outcome = paramedic.heal(plan)  # doctest: +SKIP
        >>> print(outcome)  # doctest: +SKIP
    """
    options = options or Options(strategy=strategy, workers=workers, ray=ray)
    if (options.workers > 1 or options.ray) and out is None:
        raise ValueError("`workers` above 1 and `ray` need `out`: results meet in a folder.")
    if is_off():
        raise ValueError("PARAMEDIC=off: a plan cannot be healed without being watched.")
    plan.check()
    with quiet_monitors():
        session = Session(plan, options, None if out is None else Path(out), progress)
        outcome = _Healing(session).run()
    if out is not None:
        outcome.save(out)
    return outcome


class _Healing:
    """The course of one heal."""

    def __init__(self, session: Session) -> None:
        self.session, self.plan = session, session.plan
        self.untouched = session.attempt(session.plan)
        self.present = self.untouched
        self.rival = Rival(session, self.untouched)
        self.notes: list[str] = []  # what is told of a plan that was left alone
        self.accepted: set[str] = set()  # problems that nothing is left against
        self.harmless: set[str] = set()  # of these: the untouched run learns well all the same
        self.problems: list[Finding] = []
        self.entries = Entries(session)

    def run(self) -> Outcome:
        """Train, treat, train on, until the end or until nothing is left to try."""
        leg = self._train_on()
        for _ in range(self.session.options.rounds):
            finding = self._pending(leg)
            if finding is None or self.session.cost >= self.session.options.cost:
                break
            self._meet(finding)
            self._treat(finding)
            leg = self._train_on()
        if not leg.ended:
            self.accepted |= {finding.slug for finding in leg.findings}
            leg = self._train_on(to_the_end=True)
        leg = self._preferred(leg)
        if self._is_past_its_best(leg) or self._has_learned_by_heart():
            leg = self._train_on() if self._stop_early() else leg
        return self._outcome(leg)

    def _train_on(self, to_the_end: bool = False) -> Leg:
        accepted = frozenset(self.accepted)
        watchfulness = Watchfulness(serious=not to_the_end, accepted=accepted)
        leg = self.session.advance(self.present, self.present.plan.steps, watchfulness)
        while to_the_end and not leg.ended:
            self.accepted |= {finding.slug for finding in leg.findings}
            watchfulness = Watchfulness(serious=False, accepted=frozenset(self.accepted))
            leg = self.session.advance(self.present, self.present.plan.steps, watchfulness)
        return leg

    def _pending(self, leg: Leg) -> Finding | None:
        """What has to be treated now."""
        if self._is_enough(leg.point.metric):
            return None
        found = [
            one for one in left(leg, self.present, self.untouched) if one.slug not in self.accepted
        ]
        return found[0] if found else self._loss(leg)

    def _loss(self, leg: Leg) -> Finding | None:
        """What is wrong with a repaired plan at whose end nothing is found, but which is worse
        than the untouched one: it learns more slowly. That one is trained as far as it takes to
        know: what was better early on need not be so in the end."""
        if SLOWER in self.accepted or not self._is_worse(leg):
            return None
        assert self.untouched.last is not None
        return slower(leg, self.untouched.last.point.metric)

    def _is_worse(self, leg: Leg) -> bool:
        """Whether a repaired plan at whose end nothing is found is worse than the untouched one."""
        is_done = leg.ended and not leg.error and not left(leg, self.present, self.untouched)
        if self.present is self.untouched or not is_done:
            return False
        end = self._handed_back(leg)
        self.rival.challenge(self.present, end)
        return not self.rival.is_beaten_by(self.present, end)

    def _preferred(self, leg: Leg) -> Leg:
        """The untouched plan again, if it learns well and the repaired one is the worse: what was
        found in it did no harm."""
        if self._is_enough(leg.point.metric) or not self._is_worse(leg):
            return leg
        first, end = self.untouched.last, self._handed_back(leg)
        if first is None or not first.ended or not thrives(self.untouched):
            return leg
        found = ", ".join(problem.slug for problem in self.problems if problem.slug != SLOWER)
        self.notes.append(
            f"Found, but did no harm: {found}. As it is the plan ends with {first.point.metric:.4g}"
            f", repaired with {end:.4g}; it was left alone."
        )
        self.session.reporter.say(self.notes[-1], self.present)
        self.present.verdict = "worse than the untouched plan"
        self.present.release()
        self.present = self.untouched
        self.accepted |= first.slugs
        self.harmless |= first.slugs - {_BY_HEART}
        return first

    def _handed_back(self, leg: Leg) -> float:
        """The metric of what the user gets: that of the best epoch, if it is stopped there."""
        if not self._may_stop_early or not self._is_past_its_best(leg):
            return leg.point.metric
        best = self.present.training.best
        assert best is not None
        return best.point.metric

    def _is_enough(self, metric: float) -> bool:
        enough = self.plan.satisfactory
        return enough is not None and not_worse(metric, enough, self.plan.measure, 0.0)

    def _meet(self, finding: Finding) -> None:
        if finding.slug not in {problem.slug for problem in self.problems}:
            self.problems.append(finding)
        where = f"at step {self.present.step} of {self.present.plan.steps}"
        self.session.reporter.say(f"found {finding.slug} {where}: {finding.message}", self.present)

    # -- treating --------------------------------------------------------------------------------

    def _treat(self, finding: Finding) -> None:
        """Choose the plan to go on with; the present one if nothing helps."""
        if finding.slug == _BY_HEART and self.present is self.untouched:
            self.accepted.add(_BY_HEART)  # judged at the end: the metric may come back
            return
        if finding.slug == _BY_HEART and self._stop_early():
            return
        entries = self.entries.against(finding, self.present)
        if not entries:
            self.accepted.add(finding.slug)
            self.session.reporter.say(f"nothing is left against {finding.slug}", self.present)
            self._take_back(finding)
            return
        winner = self._choose(entries, finding)
        if winner is not self.present:
            self._go_on_with(winner)
            return
        names = ", ".join(entry.name for entry in entries)
        self.session.reporter.say(f"better than the present plan was none of {names}", winner)

    def _stop_early(self) -> bool:
        """Against learning by heart: the model as it was when it was best, which is there."""
        present, best = self.present, self.present.training.best
        if best is None or not self._may_stop_early:
            return False
        epochs = max(round(best.point.epoch), 1)
        words = f"Stop after epoch {epochs} of {present.plan.epochs}, where the metric is best."
        treatment = Treatment(STOP_EARLY, _BY_HEART, words, f"epochs = {epochs}")
        stopped = self.session.attempt(present.plan.replace(epochs=epochs), treatment, present)
        stopped.take_over(best)
        self._go_on_with(stopped)
        return True

    @property
    def _may_stop_early(self) -> bool:
        return self.plan.remedies is None or STOP_EARLY in self.plan.remedies

    def _has_learned_by_heart(self) -> bool:
        """Whether this was found in the untouched plan, which is still the worse for it: far, or
        so that it guesses. A part of the metric that was lost is told, and the plan left alone,
        unless its user has named `stop-early` among the remedies: weights that were chosen by the
        validation data are not what was asked for."""
        last = self.present.last
        if self.present is not self.untouched or last is None or _BY_HEART not in self.accepted:
            return False
        named = self.plan.remedies is not None and STOP_EARLY in self.plan.remedies
        guesses = is_guess(self.plan, last.point.metric)
        if has_lost_its_best(self.present, far=not named and not guesses):
            return True
        if not guesses:
            self._leave_what_was_lost(last)
        return False

    def _leave_what_was_lost(self, last: Leg) -> None:
        self.harmless.add(_BY_HEART)
        best = self.present.training.best
        if best is not None:
            self.notes.append(
                f"It learns by heart: the metric is {best.point.metric:.4g} after epoch "
                f"{round(best.point.epoch)} and {last.point.metric:.4g} at the end. It was left "
                f"alone; name `{STOP_EARLY}` in `remedies` to be given the better weights."
            )

    def _is_past_its_best(self, leg: Leg) -> bool:
        """Whether a plan that was changed went on to learn by heart: less than what is treated in
        an untouched plan, but the better weights are there, and may be what makes it no worse."""
        present = self.present
        if present is self.untouched or present.weights is not None or leg.findings:
            return False
        lowest = min(point.val_loss for point in present.points)
        best = present.training.best
        if best is None or not present.points[-1].val_loss > _RISEN * lowest:
            return False
        return self.plan.measure.better(best.point.metric, leg.point.metric)

    def _go_on_with(self, winner: Attempt) -> None:
        self.present.verdict = self.present.verdict if self.present.parent is not None else "sick"
        self.present.release()
        if self.present is self.untouched:
            self.accepted.discard(_BY_HEART)
        self.present = winner
        said = winner.treatment.description if winner.treatment else ""
        self.session.reporter.say(f"goes on with {winner.name}: {said}", winner)

    def _take_back(self, finding: Finding) -> None:
        """A remedy after which its problem is still there stays only if the metric is better."""
        present = self.present
        treatment, last = present.treatment, present.last
        if treatment is None or treatment.against != finding.slug or last is None:
            return
        assert present.parent is not None
        parent = self.session.attempts[present.parent]
        measure, step = self.plan.measure, round(present.seen / parent.plan.batch_size)
        gain = measure.gain(metric_at(parent, step), last.point.metric)
        if not gain > tolerance(measure, parent):
            self.session.reporter.say(f"{present.name} did not help and is taken back", present)
            present.release()
            self.present = parent

    def _choose(self, entries: list[Attempt], finding: Finding) -> Attempt:
        if self.session.options.strategy == "sequential":
            entries[0].verdict = "chosen"
            return entries[0]
        race = Race(self.session, self.present, entries, finding)
        winner = race.run()
        if winner is self.present and race.thrives:  # else others are tried in the next round
            self.accepted.add(finding.slug)
            self.harmless.add(finding.slug)
        return winner

    # -- the end ---------------------------------------------------------------------------------

    def _outcome(self, leg: Leg) -> Outcome:
        status, why = self._status(leg)
        chosen = self.present if status != FAILED else self._best()
        chosen.verdict = status
        last, before = chosen.last, self.untouched.last
        return Outcome(
            status=status,
            metric=self.plan.measure.name,
            before=math.nan if before is None else before.point.metric,
            after=math.nan if last is None else last.point.metric,
            cost=self.session.cost,
            problems=tuple(self.problems),
            attempts=tried(self.session.attempts, self.plan.steps * self.plan.batch_size),
            model=chosen.model(),
            plan=chosen.plan,
            original=self.plan,
            log=tuple(self.session.reporter.log),
            why=why,
            chosen=chosen.number,
        )

    def _status(self, leg: Leg) -> tuple[str, str]:
        """Healed only if nothing serious is left and nothing was lost."""
        there = sorted(
            {finding.slug for finding in left(leg, self.present, self.untouched)} - self.harmless
        )
        if leg.error:
            return FAILED, f"It cannot be trained: {leg.error}"
        if self._is_enough(leg.point.metric):
            there = []
        if self.present is self.untouched and not there:
            return HEALTHY, " ".join(self.notes)
        if there:
            return FAILED, f"Still there at the end: {', '.join(there)}."
        if not self.rival.is_beaten_by(self.present, leg.point.metric):
            return FAILED, "The repaired plan is worse than the untouched one."
        return HEALED, ""

    def _best(self) -> Attempt:
        """The attempt with the best metric; of equals the one that was trained the longest."""
        return max(self.session.attempts, key=rank)
