"""Remedies that are simple enough to know what comes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from paramedic.treat.plan import Plan
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding
from tests.treat.plans import network, plan

STUCK = ("vanishing-gradient", "learning-rate-too-low", "loss-plateau", "slow-convergence")


@dataclass(frozen=True)
class Change:
    """Other values in the plan."""

    slug: str
    changes: dict[str, Any]
    against: tuple[str, ...] = STUCK
    title: str = "Change the plan"

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        if not self.changes:
            raise Refusal("it has nothing to change")
        return Treated(plan.replace(**self.changes), f"set {', '.join(self.changes)}", "# code")


ADAM = Change("adam", {"optimizer": (torch.optim.Adam, {"lr": 0.01})})
HIGH = Change("high-rate", {"optimizer": (torch.optim.SGD, {"lr": 1e-4})})
USELESS = Change("useless", {"clip_norm": 1.0})
REFUSES = Change("refuses", {})
RELU = Change("relu", {"model": network(nn.ReLU, depth=6)})


def slow_plan(**changes: Any) -> Plan:
    """A rate at which nothing is learned."""
    slow = {"optimizer": (torch.optim.SGD, {"lr": 1e-6}), "epochs": 8}
    return plan(**{**slow, **changes})
