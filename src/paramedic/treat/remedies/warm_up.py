"""A rate that rises to its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.reading import is_adaptive
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Begins with a small rate, while the size of the gradients settles.

    Over as many steps as Adam's second moment remembers, but at most a tenth of the plan.
    """

    slug: str = "warm-up"
    title: str = "Warm the learning rate up"
    against: tuple[str, ...] = (
        "learning-rate-too-high", "exploding-gradient", "gradient-instability", "loss-explosion",
        "oscillating-loss", "dying-relu", "non-finite",
    )  # fmt: skip
    share: float = 0.1
    least: int = 10

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        if plan.warmup:
            raise Refusal(f"The rate is warmed up over {plan.warmup} steps already.")
        betas = plan.optimizer[1].get("betas", (0.9, 0.999))
        memory = int(2 / max(1 - float(betas[1]), 1e-4)) if is_adaptive(plan) else plan.steps
        steps = max(min(memory, int(self.share * plan.steps)), self.least)
        return Treated(
            plan.replace(warmup=steps),
            f"Warm the learning rate up over {steps} steps.",
            f"scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / {steps}, "
            f"total_iters={steps})",
        )
