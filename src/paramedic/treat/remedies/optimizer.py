"""S7: momentum, or another optimizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.reading import is_adaptive, with_settings
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class Momentum:
    """Momentum 0.9: AUTOTRAINER's S7 for oscillating losses. One that is larger is lowered."""

    slug: str = "momentum"
    title: str = "Use momentum"
    solution: str = "S7"
    against: tuple[str, ...] = ("oscillating-loss", "slow-convergence", "learning-rate-too-low")
    momentum: float = 0.9

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        kind, settings = plan.optimizer
        if kind is not torch.optim.SGD:
            raise Refusal(f"{kind.__name__} has no momentum that is set like this.")
        now = float(settings.get("momentum", 0.0))
        if now == self.momentum or (now > self.momentum and finding.slug != "oscillating-loss"):
            raise Refusal(f"The momentum is {now:g} already.")
        return Treated(
            with_settings(plan, momentum=self.momentum),
            f"Set the momentum to {self.momentum:g} (was {now:g}).",
            f"momentum = {self.momentum:g}  # was {now:g}",
        )


@dataclass(frozen=True, slots=True)
class OtherOptimizer:
    """Another optimizer with its usual rate: AUTOTRAINER's S7 for slow convergence.

    Adam for one that is not adaptive, SGD with momentum for one that is. Theirs is drawn at
    random.
    """

    slug: str = "other-optimizer"
    title: str = "Use another optimizer"
    solution: str = "S7"
    against: tuple[str, ...] = (
        "slow-convergence", "loss-plateau", "too-few-steps", "learning-rate-too-low",
        "vanishing-gradient", "oscillating-loss", "gradient-instability", "exploding-gradient",
        "learning-rate-too-high", "loss-explosion",
    )  # fmt: skip
    adaptive_rate: float = 0.001
    plain_rate: float = 0.01
    momentum: float = 0.9

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        before = getattr(plan.optimizer[0], "__name__", str(plan.optimizer[0]))
        decay = plan.optimizer[1].get("weight_decay")
        kept = {} if decay is None else {"weight_decay": decay}
        kind: Any = torch.optim.Adam
        settings: dict[str, Any] = {"lr": self.adaptive_rate, **kept}
        if is_adaptive(plan):
            kind = torch.optim.SGD
            settings = {"lr": self.plain_rate, "momentum": self.momentum, **kept}
        if plan.scheduler is not None and "max_lr" in plan.scheduler[1]:
            raise Refusal("The scheduler sets rates of its own, made for the optimizer there is.")
        given = ", ".join(f"{name}={value:g}" for name, value in settings.items())
        return Treated(
            plan.replace(optimizer=(kind, settings)),
            f"Use {kind.__name__} ({given}) instead of {before}.",
            f"optimizer = torch.optim.{kind.__name__}(model.parameters(), {given})",
        )


@dataclass(frozen=True, slots=True)
class Minimise:
    """Goes down the loss, not up."""

    slug: str = "minimise"
    title: str = "Minimise the loss"
    against: tuple[str, ...] = ("loss-explosion", "learning-rate-too-high", "non-finite")

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        if not plan.optimizer[1].get("maximize"):
            raise Refusal("The optimizer minimises the loss already.")
        return Treated(
            with_settings(plan, maximize=False),
            "Minimise the loss; the optimizer was told to maximise it.",
            "maximize = False  # was True",
        )
