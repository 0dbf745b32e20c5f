"""Steps that are far too small."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.inject.fault import Fault, setting
from paramedic.inject.rates import scale_rates
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class LearningRateTooLow(Fault):
    """The learning rate is a small fraction of what was set."""

    slug = "learning-rate-too-low"
    wakes = "learning-rate-too-low"
    neighbours = frozenset({"slow-convergence"})
    lasting = True
    needs = "no group of the optimizer has a learning rate"

    factor: float = setting(1e-3, "what the learning rate is multiplied by")

    def begin(self, site: Site) -> None:
        scale_rates(site, self.factor)
