"""Which of two attempts is better at the same step, and whether that is more than noise."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

from paramedic.diagnose.detectors.slow_convergence import SlowConvergence
from paramedic.probe.median import median
from paramedic.treat.heal.attempt import Attempt, Leg
from paramedic.treat.measure import Measure
from paramedic.treat.plan import Plan
from paramedic.treat.resting import NOTHING, RESTING, is_guess, is_learned
from paramedic.types import Finding, Severity

SLOWER = SlowConvergence.slug
LOST = "untouched"  # evidence that a repaired plan is known to be worse than the untouched one
_PROGRESS = 0.05  # what the whole of the loss gone is worth, beside an accuracy
_THRIVING = 0.25  # share of the loss that is gone
_FAR = 0.1  # of an accuracy: ten points; of another metric: a tenth of what was gained


@dataclass(frozen=True, slots=True)
class Score:
    """How an attempt stands, best first when sorted downwards: it runs, the problem is gone, no
    other came in its place, and how good it is."""

    runs: bool
    gone: bool
    clean: bool
    metric: float  # the higher the better
    progress: float
    weight: float = 0.0  # of the progress beside the metric
    guesses: bool = False

    @property
    def order(self) -> tuple[bool, bool, bool, float, float]:
        """What to sort by."""
        value = self.metric + self.weight * self.progress
        return self.runs, self.gone, self.clean, value, self.progress


def score(leg: Leg, problem: str, measure: Measure, chance: float = -math.inf) -> Score:
    """The score of an attempt at the end of a leg, in a race against a problem.

    Up to `chance` one accuracy is as good as another: it is that of guessing, and which of two
    guesses is the better says nothing. Then the loss decides.
    """
    grave = {one.slug for one in leg.findings if one.severity is Severity.CRITICAL}
    gone = problem not in {one.slug for one in leg.findings}
    metric, progress = leg.point.metric, leg.progress
    runs = not leg.error and math.isfinite(metric) and math.isfinite(leg.point.train_loss)
    progress = max(min(progress, 1.0), -1.0) if math.isfinite(progress) else -1.0
    value = measure.gain(0.0, metric) if math.isfinite(metric) else -math.inf
    if measure.name != "accuracy":
        return Score(runs, gone, not grave, value, progress)
    guesses = value <= chance
    return Score(runs, gone, not grave, max(value, chance), progress, _PROGRESS, guesses)


def levelled(scores: Mapping[int, Score]) -> dict[int, Score]:
    """The scores, with those that guess made level if what is gone of their losses differs by next
    to nothing: so little is the luck of the batches, and must not decide. Where scores are level,
    the order of the remedies does."""
    most = max((one.progress for one in scores.values() if one.guesses), default=0.0)
    return {
        number: dataclasses.replace(one, progress=most)
        if one.guesses and one.progress > most - NOTHING
        else one
        for number, one in scores.items()
    }


def thrives(attempt: Attempt) -> bool:
    """Whether an attempt learns well. From a loss that was huge at first a large share is soon
    gone, so the accuracy must be better than that of guessing, too."""
    last = attempt.last
    if last is None or last.error or is_guess(attempt.plan, last.point.metric):
        return False
    return last.progress > _THRIVING


def comparable(one: Plan, other: Plan) -> bool:
    """Whether the metrics of two plans are about the same thing: values of two losses are not,
    nor those on targets of two forms."""
    if one.measure.name != "loss":
        return True
    return str(one.loss) == str(other.loss) and one.targets == other.targets


def tolerance(measure: Measure, attempt: Attempt) -> float:
    """How much worse a metric may be without being worse: by chance."""
    return measure.noise(attempt.plan.batches[1].samples)


def not_worse(one: float, other: float, measure: Measure, allowed: float) -> bool:
    """Whether a metric is at least as good as another; NaN is worse than anything."""
    if math.isnan(one):
        return False
    return math.isnan(other) or measure.gain(other, one) >= -allowed


def slower(leg: Leg, untouched: float) -> Finding:
    """What is said of a repaired plan that comes less far than the untouched one."""
    metric = leg.point.metric
    return Finding(
        code=SlowConvergence.code,
        slug=SLOWER,
        severity=Severity.WARNING,
        confidence=0.7,
        message=f"After the repair nothing is found any more, but it learns more slowly: at its "
        f"end the metric is {metric:.4g}, that of the untouched plan {untouched:.4g}.",
        step=leg.step,
        evidence={"metric": metric, LOST: untouched},
    )


def left(leg: Leg, attempt: Attempt, untouched: Attempt) -> tuple[Finding, ...]:
    """What is wrong with an attempt at the end of a leg. That the loss of a changed plan rests at
    its end is nothing wrong if by then it has learned: if it is better than guessing and than the
    untouched plan, beyond chance."""
    last, metric, measure = untouched.last, leg.point.metric, attempt.plan.measure
    if attempt is untouched or last is None or not leg.ended:
        return leg.findings
    gain = measure.gain(last.point.metric, metric)
    if not is_learned(attempt.plan, metric) or not gain > tolerance(measure, untouched):
        return leg.findings
    return tuple(one for one in leg.findings if one.slug not in RESTING)


def has_lost_its_best(attempt: Attempt, *, far: bool) -> bool:
    """Whether the last quarter of an attempt is worse than its best point: beyond chance, and if
    `far` by ten points of an accuracy, or a tenth of what another metric had gained."""
    best, measure = attempt.training.best, attempt.plan.measure
    if best is None or not attempt.points:
        return False
    last = [point.metric for point in attempt.points[-max(len(attempt.points) // 4, 1) :]]
    allowed = 2 * tolerance(measure, attempt)
    if far:
        gained = abs(measure.gain(attempt.points[0].metric, best.point.metric))
        allowed = max(allowed, _FAR if measure.name == "accuracy" else _FAR * gained)
    return measure.gain(median(last), best.point.metric) > allowed
