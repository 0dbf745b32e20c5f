"""Where a trial will stand among the others at its end, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paramedic.hpo.standing import Standing

_FEW = 0.02  # a share of none is as good as one of so few
# Chosen on recorded studies (`docs/benchmarks/hpo.md`): what happens to the logarithm of a share
# in each doubling of the age.
_REST = -2.0  # where it moves to: a share of 0.12, the border of the best tenth
_PULL = 0.05  # the part of the way that it moves in a doubling
_SPREAD = 0.5  # how far it may come from there in one doubling …
_GROWTH = 0.3  # … and in several, by this power of their number


@dataclass(frozen=True, slots=True)
class Outlook:
    """The share of the others that will be better at the end, with two in a hundred added: its
    logarithm is normal, with this middle and spread."""

    middle: float
    spread: float

    def chance(self, best: float) -> float:
        """How likely the trial will be among this share of the best.

        Small chances are told larger than they are, to be on the safe side: of the trials for
        tuning that were told 5 to 10 %, 1.5 % were among the best tenth; of those that were told
        25 to 50 %, 26 %, and of those that were told 75 % or more, 86 %.
        """
        distance = (math.log(best + _FEW) - self.middle) / self.spread
        return (1.0 + math.erf(distance / math.sqrt(2.0))) / 2.0


def outlook(views: Sequence[Standing]) -> Outlook:
    """How a trial will stand, as it looks.

    A trial is seen by several numbers, which err in different ways (its value, its loss in
    validation and in training): the geometric mean of their shares counts, so that being good by
    one of them counts for much. Ranks move with the logarithm of the age: the more doublings of it
    are left, the less is sure. And of few others a share says little.

    Args:
        views: how the trial stands by each number, its value first; with at least one other.
    """
    now = float(np.mean(np.log(np.add([one.better for one in views], _FEW))))
    doublings = -math.log2(views[0].age)
    middle = now + _PULL * doublings * (_REST - now)
    spread = math.hypot(
        _SPREAD * doublings**_GROWTH, _error(math.exp(now) - _FEW, len(views[0].others))
    )
    return Outlook(middle, spread)


def _error(share: float, count: int) -> float:
    """The standard error of the logarithm of a share of so many; half a trial more is not none."""
    share = (max(share, 0.0) * count + 0.5) / (count + 1)
    return math.sqrt(share * (1 - share) / count) / (share + _FEW)
