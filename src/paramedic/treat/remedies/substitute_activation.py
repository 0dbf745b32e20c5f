"""S2: other activations between the layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import nn

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.operating import operated
from paramedic.treat.remedy import Refusal, Treated
from paramedic.treat.surgery import Operation, activations, replace_activations
from paramedic.treat.surgery.kinds import BOUNDED, RECTIFIERS
from paramedic.types import Finding

# What is to blame for a problem; others are left as they are.
_TO_BLAME: dict[str, frozenset[str]] = {
    "vanishing-gradient": BOUNDED,
    "saturated-activation": BOUNDED,
    "dying-relu": RECTIFIERS,
}


@dataclass(frozen=True, slots=True)
class SubstituteActivation:
    """Replaces hidden activations: AUTOTRAINER's S2, which tries ReLU, SELU and LeakyReLU.

    Only those that are to blame are replaced: bounded ones where gradients vanish, rectifiers
    where units die; all of them if none of these is there.
    """

    new: str = "relu"
    solution: str = "S2"
    against: tuple[str, ...] = (
        "vanishing-gradient", "exploding-gradient", "dying-relu", "saturated-activation",
        "loss-plateau", "slow-convergence",
    )  # fmt: skip

    @property
    def slug(self) -> str:
        return f"activation-{self.new}"

    @property
    def title(self) -> str:
        return f"Use {self.new} between the layers"

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        guilty = _TO_BLAME.get(finding.slug)

        def edit(model: nn.Module, example: Any) -> Operation:
            found = activations(model, example)
            if self.new in found.values() and guilty and self.new in guilty:
                raise Refusal(f"{self.new} is itself what makes {finding.slug}.")
            names = [name for name, kind in found.items() if guilty and kind in guilty]
            return replace_activations(model, example, self.new, which=names or "hidden")

        return operated(plan, edit)
