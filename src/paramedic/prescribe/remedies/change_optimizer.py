"""Another optimizer, or the same one with other settings."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.cure import Cure, Dose, Family, autotrainer, estimate, short, treats
from paramedic.prescribe.pace import is_adaptive, optimizer
from paramedic.prescribe.spelling import optimizer_line
from paramedic.types import Finding, Window

_SLOW = ("slow-convergence", "learning-rate-too-low", "loss-plateau")


@dataclass(frozen=True, slots=True)
class ChangeOptimizer(Cure):
    """Adam with its default rate for a slow SGD; a momentum of 0.9 for one that swings."""

    slug = "change-optimizer"
    family = Family.GRADIENT
    against = treats(
        {
            "oscillating-loss": autotrainer(0.76, "S7"),
            "slow-convergence": autotrainer(0.97, "S7"),
            "learning-rate-too-low": estimate(0.6),
            "loss-plateau": estimate(0.3),
        }
    )

    rate: float = 1e-3  # Adam's default
    momentum: float = 0.9

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        settings = optimizer(window)
        if not settings or is_adaptive(window):
            return None
        if finding.slug in _SLOW:
            return Dose(
                title=f"Use Adam instead of {settings.get('name')}",
                code=f"optimizer = torch.optim.Adam(model.parameters(), lr={short(self.rate)})",
                args={"name": "Adam", "lr": self.rate},
            )
        momentum = settings.get("momentum")
        if momentum is None or momentum == self.momentum:
            return None
        return Dose(
            title=f"Set the momentum to {self.momentum:g} (it is {momentum:g})",
            code=optimizer_line(window, momentum=self.momentum),
            args={"name": "SGD", "momentum": self.momentum},
        )


@dataclass(frozen=True, slots=True)
class MinimiseLoss(Cure):
    """Goes down the loss where the optimizer was told to go up."""

    slug = "minimise-loss"
    family = Family.FAULT
    against = treats(
        {
            "loss-explosion": estimate(0.95),
            "exploding-gradient": estimate(0.9),
            "learning-rate-too-high": estimate(0.9),
            "non-finite": estimate(0.9),
        }
    )

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        settings = optimizer(window)
        if not settings.get("maximize"):
            return None
        name = settings.get("name")
        return Dose(
            title=f"Minimise the loss: {name} was told to maximise it",
            code=f"{optimizer_line(window)}  # without maximize=True",
        )
