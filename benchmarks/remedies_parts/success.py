"""When a repair counts: the problem is gone, and what the fault cost is won back.

(Ending a symptom is not enough: AUTOTRAINER's larger batches end every oscillation and lose 13
points of accuracy.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

WORSE = 0.02  # of the score that a treated run may lose
GAP = 0.05  # of the score, or a tenth of the loss, from which a fault has cost something
CLOSER = 0.25  # of what the fault cost that must be won back


@dataclass(frozen=True, slots=True)
class Numbers:
    """How a run ended, on samples it was not trained on; the score is 1 for perfect, 0 for a
    guess."""

    score: float
    loss: float


def won_back(sick: Numbers, treated: Numbers, sound: Numbers, *, same_loss: bool) -> bool:
    """Whether a treated run is not worse than the sick one, and clearly closer to the sound one.

    By the score, or by the loss where both runs have the same one. Where the fault has cost
    nothing, not being worse is enough.
    """
    before, after, whole = (_score(one.score) for one in (sick, treated, sound))
    if after < before - WORSE:
        return False
    by_score = _share(before, after, whole, GAP)
    losses = (-_loss(sick.loss), -_loss(treated.loss), -_loss(sound.loss))
    by_loss = _share(*losses, 0.1 * abs(losses[2])) if same_loss else None
    known = [share for share in (by_score, by_loss) if share is not None]
    return max(known) >= CLOSER if known else True


def _share(before: float, after: float, whole: float, least: float) -> float | None:
    """The share of what was lost that is won back; None if nothing was lost."""
    lost = whole - before
    return (after - before) / lost if lost > least else None


def _score(score: float) -> float:
    """Worse than a guess is as bad as a guess, and so is a number that is none."""
    return max(score, 0.0) if math.isfinite(score) else 0.0


def _loss(loss: float) -> float:
    return loss if math.isfinite(loss) else 1e9
