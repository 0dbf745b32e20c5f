"""Tells a gradient out of all proportion from a large one."""

from __future__ import annotations

import math
from enum import Enum, auto

from paramedic.treat.baseline import Baseline
from paramedic.treat.limits import Limits

_COLLAPSE = math.log(1e-4)  # of the usual norm
_NEARER = 0.6  # of the deviations, where nothing like it was seen
_UNHEARD = math.log(3.5)  # above the largest so far; as the detector has it, whose 3.1 was healthy


class Size(Enum):
    """What a gradient norm is, next to the usual ones."""

    USUAL = auto()
    SPIKE = auto()
    COLLAPSE = auto()


class NormWatch:
    """Follows the logarithm of the gradient norm, whose noise is a factor.

    A spike is far from the median; or less far, but many times the largest of a long history.
    """

    def __init__(self, limits: Limits) -> None:
        self._sigmas, self._ratio = limits.spike_sigmas, math.log(limits.spike_ratio)
        self._long = limits.history // 2
        self._usual = Baseline(limits.history, limits.least)

    def size(self, norm: float) -> Size:
        """How large it is."""
        usual = self._usual
        if not usual.ready:
            return Size.USUAL
        size = math.log(norm) if norm > 0 else -math.inf
        above, wide = size - usual.median, self._sigmas * usual.sigma
        if above > max(wide, self._ratio):
            return Size.SPIKE
        unheard = len(usual) >= self._long and size - usual.top > _UNHEARD
        if unheard and above > max(_NEARER * wide, self._ratio):
            return Size.SPIKE
        return Size.COLLAPSE if above < min(-wide, _COLLAPSE) else Size.USUAL

    def add(self, norm: float) -> None:
        """A norm that was applied."""
        if norm > 0:
            self._usual.add(math.log(norm))

    @property
    def level(self) -> float:
        """The usual norm; NaN while it is not known."""
        return math.exp(self._usual.median) if self._usual.ready else math.nan

    def accept(self) -> None:
        """What was unusual is usual from now on."""
        self._usual.clear()
