"""S3: each value of the gradient is cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paramedic.treat.plan import Plan
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class ClipValues:
    """Cuts each value of the gradient to ±10: AUTOTRAINER's S3."""

    slug: str = "clip-values"
    title: str = "Clip each value of the gradient"
    solution: str = "S3"
    against: tuple[str, ...] = (
        "exploding-gradient", "gradient-instability", "loss-explosion", "non-finite",
    )  # fmt: skip
    most: float = 10.0

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        if plan.clip_value is not None and plan.clip_value <= self.most:
            raise Refusal(f"Values are clipped to ±{plan.clip_value:g} already.")
        return Treated(
            plan.replace(clip_value=self.most),
            f"Clip each value of the gradient to ±{self.most:g}.",
            f"nn.utils.clip_grad_value_(model.parameters(), {self.most:g})",
        )
