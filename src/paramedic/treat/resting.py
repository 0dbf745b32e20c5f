"""Runs that learn nothing: what the length of a plan and its targets say, beside the detectors.

A batch of 16 labels of ten classes does not tell how often each class comes, so a detector that
sees only batches cannot say whether a loss that rests is that of guessing: it leaves a note. A
plan knows all its targets, and its metric says it.
"""

from __future__ import annotations

import dataclasses
import math

from paramedic.diagnose.detectors.loss_plateau import LossPlateau
from paramedic.diagnose.detectors.slow_convergence import SlowConvergence
from paramedic.treat.plan import Plan
from paramedic.types import Finding, Severity, Window

_JUDGED_AFTER = 0.35  # share of the plan after which a loss that rests or creeps is judged
NOTHING = 0.04  # share of the loss gone that is nothing, as early as that: some start slowly
_SHORTEST = 120  # steps, which the detectors need in any case
_JUDGES = (SlowConvergence, LossPlateau)  # by where the loss began
RESTING = frozenset(judge.slug for judge in _JUDGES)
_LEARNED = 0.25  # share of the loss gone, from which on something was learned, if only by heart


def by_length(steps: int) -> dict[str, dict[str, float]]:
    """How long the plan is is known: a loss that rests is judged early in it, not at its end.
    But only if nothing was learned: a slow start is none."""
    after = max(_SHORTEST, math.ceil(_JUDGED_AFTER * steps))
    early = {"steps": after, "learned": NOTHING, "learned_language": NOTHING}
    return {judge.code: dict(early) for judge in _JUDGES}


def at_the_end(window: Window) -> list[Finding]:
    """What the same detectors say of a run that is over, by their usual thresholds."""
    ended = dataclasses.replace(window, ended=True, _derived={})
    found = []
    for judge in _JUDGES:
        detector = judge()
        finding = detector.examine(ended) if detector.missing(ended) is None else None
        found += [finding] if finding is not None else []
    return found


def is_guess(plan: Plan, metric: float) -> bool:
    """Whether an accuracy is no better than that of guessing, beyond chance."""
    if plan.measure.name != "accuracy" or math.isnan(metric):
        return False
    return metric <= plan.guessing + plan.measure.noise(plan.batches[1].samples)


def is_learned(plan: Plan, metric: float) -> bool:
    """Whether an accuracy is better than that of guessing beyond any doubt."""
    if plan.measure.name != "accuracy" or math.isnan(metric):
        return False
    return metric > plan.guessing + 2 * plan.measure.noise(plan.batches[1].samples)


def weighed(finding: Finding, plan: Plan, metric: float) -> Finding:
    """A note that the loss rests or creeps is a warning if the model does no better than guess."""
    is_note = finding.slug in RESTING and finding.severity is Severity.INFO
    if not is_note or not is_guess(plan, metric):
        return finding
    return dataclasses.replace(finding, severity=Severity.WARNING)


def nothing_learned(plan: Plan, step: int, metric: float, progress: float) -> Finding | None:
    """What is said of a run that is over and guesses, if nothing else is; not of a few steps."""
    if step < _SHORTEST or progress > _LEARNED or not is_guess(plan, metric):
        return None
    return Finding(
        code=LossPlateau.code,
        slug=LossPlateau.slug,
        severity=Severity.WARNING,
        confidence=0.7,
        message=f"The run is over, and its accuracy ({metric:.3g}) is no better than that of "
        f"guessing ({plan.guessing:.3g}): nothing was learned.",
        step=step,
        evidence={"accuracy": metric, "guessing": plan.guessing, "progress": progress},
    )
