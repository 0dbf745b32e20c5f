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


def won_back(sick: Numbers, treated: Numbers, sound: Numbers, fresh: Numbers | None) -> bool:
    """Whether a treated run is not worse than the sick one, and clearly closer to the sound one.

    By the score, or by the loss. `fresh` is the sound model before its training: a loss above its
    is no worse than knowing nothing; it is None where the treated run has another loss function,
    so that losses cannot be compared. Where the fault has cost nothing, not being worse is enough.
    """
    before, after, whole = (_score(one.score) for one in (sick, treated, sound))
    if after < before - WORSE:
        return False
    shares = [_share(before, after, whole, GAP)]
    if fresh is not None and math.isfinite(fresh.loss):
        losses = [-_loss(one.loss, fresh.loss) for one in (sick, treated, sound)]
        shares.append(_share(*losses, 0.1 * abs(losses[2])))
    known = [share for share in shares if share is not None]
    return max(known) >= CLOSER if known else True


def _share(before: float, after: float, whole: float, least: float) -> float | None:
    """The share of what was lost that is won back; None if nothing was lost."""
    lost = whole - before
    return (after - before) / lost if lost > least else None


def _score(score: float) -> float:
    """Worse than a guess is as bad as a guess, and so is a number that is none."""
    return max(score, 0.0) if math.isfinite(score) else 0.0


def _loss(loss: float, fresh: float) -> float:
    return min(loss, fresh) if math.isfinite(loss) else fresh
