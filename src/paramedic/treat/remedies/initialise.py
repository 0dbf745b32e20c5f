"""S4: weights drawn anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.operating import operated
from paramedic.treat.remedy import Treated
from paramedic.treat.surgery import reinitialise
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class Initialise:
    """Draws the initial weights by the activation that follows (He, Xavier, orthogonal):
    AUTOTRAINER's S4."""

    slug: str = "initialise"
    title: str = "Draw the initial weights by the activations"
    solution: str = "S4"
    against: tuple[str, ...] = (
        "poor-initialization", "dying-relu", "oscillating-loss", "slow-convergence",
        "saturated-activation", "exploding-gradient", "vanishing-gradient", "non-finite",
        "loss-explosion", "loss-plateau",
    )  # fmt: skip
    scheme: str | None = None

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        return operated(plan, partial(reinitialise, scheme=self.scheme, seed=plan.seed))
