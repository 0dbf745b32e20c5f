"""Why a loss is no measure of progress: what the window shows of it."""

from __future__ import annotations

import math

import numpy as np

from paramedic.diagnose.comparison import CLEAR, EFFECT, Facts, known, scatter
from paramedic.types import Window

SETTLED = 0.5  # fraction of the loss that is gone from which standing still is an achievement
_CERTAIN = 8.0  # standard errors that leave no doubt
_ZERO_CROSSINGS = 0.1  # fraction of neighbours with different signs: the loss is about zero


def why_surrogate(window: Window, facts: Facts) -> str:
    """The reason as a clause, or nothing where the loss measures progress."""
    if window.chart.surrogate and not _falls_clearly(facts):
        return window.chart.surrogate
    if len(window.chart.optimizers) > 1 and not _falls_together(window, facts):
        return "several optimizers minimise losses of their own, so that their sum says little"
    candidates = _candidates(window)
    if candidates > 1 and facts.end.value > math.log(candidates) * (1 - EFFECT):
        return f"a contrastive loss near that of a random choice among {candidates} says little"
    if _one_answer(window) and facts.end.value < EFFECT * facts.start.value:
        return "every target that was seen is the same, so that a constant answer has no loss"
    levels = known(window.losses.levels)
    crossings = float((levels[1:] * levels[:-1] < 0).mean())
    if crossings > _ZERO_CROSSINGS and abs(facts.end.value) < 3 * scatter(levels):
        return "the loss scatters around zero by design, so that its value says nothing"
    return ""


def _falls_together(window: Window, facts: Facts) -> bool:
    """Whether what several optimizers minimise measures something. Those that share a backward
    pass, as the ones of different parameters do, share a loss; one that stands still may be the
    balance of adversaries all the same."""
    passes = known(window.scalar("backwards"))
    shared = len(passes) > 0 and float(np.median(passes)) < 2
    return _falls_clearly(facts) or (shared and (facts.has_fallen or facts.below_constant > CLEAR))


def _candidates(window: Window) -> int:
    """Among how many samples of the batch each is to be found; 0 if labels are not places in it."""
    by_hand = known(window.scalar("candidates"))
    if len(by_hand):
        return int(np.median(by_hand))
    shape, classes = window.chart.output_shape, known(window.scalar("target_classes"))
    if window.chart.target_kind != "integer" or len(shape) != 2 or not len(classes):
        return 0
    return shape[1] if shape[0] == shape[1] == float(np.median(classes)) else 0


def _one_answer(window: Window) -> bool:
    """Whether all labels are the same class, as far as they were seen."""
    low, high = known(window.scalar("target_min")), known(window.scalar("target_max"))
    whole = window.chart.target_kind == "integer" and len(low) > 0
    return whole and bool(low.min() == high.max())


def _falls_clearly(facts: Facts) -> bool:
    """A sum with weights of both signs that goes down by most of its size measures something
    nevertheless: what is left of a policy gradient is noise about zero."""
    certain = facts.end.below(facts.start) > _CERTAIN
    return certain and facts.start.value - facts.end.value > SETTLED * abs(facts.start.value)
