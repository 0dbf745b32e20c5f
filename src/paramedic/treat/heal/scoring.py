"""Which of two attempts is better at the same step, and whether that is more than noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from paramedic.treat.heal.attempt import Attempt, Leg
from paramedic.treat.measure import Measure
from paramedic.treat.plan import Plan
from paramedic.types import Severity

_PROGRESS = 0.05  # what the whole of the loss gone is worth, beside an accuracy


@dataclass(frozen=True, slots=True)
class Score:
    """How an attempt stands, best first when sorted downwards: it runs, the problem is gone, no
    other came in its place, and how good it is."""

    runs: bool
    gone: bool
    clean: bool
    value: float
    progress: float

    @property
    def order(self) -> tuple[bool, bool, bool, float, float]:
        """What to sort by."""
        return self.runs, self.gone, self.clean, self.value, self.progress


def score(leg: Leg, problem: str, measure: Measure) -> Score:
    """The score of an attempt at the end of a leg, in a race against a problem."""
    grave = {one.slug for one in leg.findings if one.severity is Severity.CRITICAL}
    gone = problem not in {one.slug for one in leg.findings}
    metric, progress = leg.point.metric, leg.progress
    runs = not leg.error and math.isfinite(metric) and math.isfinite(leg.point.train_loss)
    progress = max(min(progress, 1.0), -1.0) if math.isfinite(progress) else -1.0
    value = measure.gain(0.0, metric) if math.isfinite(metric) else -math.inf
    if measure.name == "accuracy":
        value += _PROGRESS * progress
    return Score(runs, gone, not grave, value, progress)


def comparable(one: Plan, other: Plan) -> bool:
    """Whether the metrics of two plans are about the same thing: values of two losses are not,
    nor those on targets of two forms."""
    if one.measure.name != "loss":
        return True
    return str(one.loss) == str(other.loss) and one.targets == other.targets


def tolerance(measure: Measure, attempt: Attempt) -> float:
    """How much worse a metric may be without being worse: by chance."""
    return measure.noise(attempt.plan.batches[1].samples)


def guessing(plan: Plan) -> float:
    """The accuracy of always giving the most frequent target; 0 for another metric."""
    if plan.measure.name != "accuracy":
        return 0.0
    targets = plan.batches[1].gathered()[1]
    _, counts = torch.unique(targets, dim=0, return_counts=True)
    return float(counts.max()) / len(targets)


def not_worse(one: float, other: float, measure: Measure, allowed: float) -> bool:
    """Whether a metric is at least as good as another; NaN is worse than anything."""
    if math.isnan(one):
        return False
    return math.isnan(other) or measure.gain(other, one) >= -allowed
