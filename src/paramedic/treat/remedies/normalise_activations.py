"""S1: normalisation before the activations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.operating import operated
from paramedic.treat.remedy import Treated
from paramedic.treat.surgery import insert_normalisation
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class NormaliseActivations:
    """Puts a normalisation before each hidden activation: AUTOTRAINER's S1.

    By batch, or by sample for sequences and where batches have less than `fewest` samples, whose
    statistics could not be trusted.
    """

    slug: str = "normalise-activations"
    title: str = "Normalise before the activations"
    solution: str = "S1"
    against: tuple[str, ...] = (
        "vanishing-gradient", "exploding-gradient", "dying-relu", "saturated-activation",
        "poor-initialization", "loss-plateau", "slow-convergence", "gradient-instability",
        "loss-explosion", "non-finite", "abnormal-data",
    )  # fmt: skip
    kind: str | None = None
    fewest: int = 8

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        kind = self.kind or ("layer" if plan.batch_size < self.fewest else None)
        return operated(plan, partial(insert_normalisation, kind=kind))
