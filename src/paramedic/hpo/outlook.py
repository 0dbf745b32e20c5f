"""Where a trial will stand among the others at its end."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from paramedic.hpo.standing import Standing

_FEW = 0.02  # a share of none is as good as one of so few


def outlook(views: Sequence[Standing], deviations: float) -> float:
    """The share of the others that will be better at the end, or more.

    A trial is seen by several numbers, which err in different ways (its value, its loss in
    validation and in training): the geometric mean of their shares counts, so that being good by
    one of them counts for much. Ranks move with the logarithm of the age: what the share has
    changed by since half the age it is taken to change by in each doubling of the age that is
    left, though it can at most double: who is among the best and was overtaken once may have had
    bad luck. Of few others a share says little: what is given is the lower end of Wilson's
    interval of so many standard deviations.

    Args:
        views: how the trial stands by each number, its value first.
        deviations: how sure the share has to be.
    """
    if not views or not len(views[0].others):
        return 0.0
    share = _mean([one.better for one in views])
    epochs = len(views[0].bests)
    if epochs > 1:
        since_half = share - _mean([one.better_after(epochs / 2) for one in views])
        doublings = -math.log2(views[0].age)
        share = min(max(share + min(doublings * since_half, share), 0.0), 1.0)
    return _at_least(share, len(views[0].others), deviations)


def _mean(shares: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(np.add(shares, _FEW)))) - _FEW)


def _at_least(share: float, count: int, deviations: float) -> float:
    doubt = deviations**2 / count
    error = math.sqrt(doubt * (share * (1 - share) + doubt / 4))
    return max((share + doubt / 2 - error) / (1 + doubt), 0.0)
