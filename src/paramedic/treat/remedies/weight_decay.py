"""Weights that are kept small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from paramedic.prescribe.cure import rounded
from paramedic.treat.plan import Plan
from paramedic.treat.remedies.reading import is_adaptive
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class WeightDecay:
    """Ten times the weight decay, or a first one: 0.01 with AdamW, 0.001 with SGD."""

    slug: str = "weight-decay"
    title: str = "Raise the weight decay"
    against: tuple[str, ...] = ("overfitting",)
    times: float = 10.0
    most: float = 0.1

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        kind, settings = plan.optimizer
        first = 0.01 if is_adaptive(plan) else 0.001
        now = float(settings.get("weight_decay", 0.01 if kind is torch.optim.AdamW else 0.0))
        new = rounded(min(max(now * self.times, first), self.most))
        if new <= now:
            raise Refusal(f"The weight decay is {now:g} already.")
        better = torch.optim.AdamW if kind is torch.optim.Adam else kind
        return Treated(
            plan.replace(optimizer=(better, {**settings, "weight_decay": new})),
            f"Raise the weight decay from {now:g} to {new:g}.",
            f"optimizer = torch.optim.{better.__name__}(…, weight_decay={new:g})",
        )
