"""Steps that are far too large."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.inject.fault import Fault, setting
from paramedic.inject.rates import scale_rates
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class LearningRateTooHigh(Fault):
    """The learning rate is many times what was set."""

    slug = "learning-rate-too-high"
    wakes = "learning-rate-too-high"
    neighbours = frozenset({"oscillating-loss", "loss-explosion"})
    lasting = True
    needs = "no group of the optimizer has a learning rate"

    factor: float = setting(100.0, "what the learning rate is multiplied by")

    def begin(self, site: Site) -> None:
        scale_rates(site, self.factor)
