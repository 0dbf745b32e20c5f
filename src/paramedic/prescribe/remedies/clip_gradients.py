"""Gradients cut to the length that healthy ones have."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.cure import (
    Cure,
    Dose,
    Family,
    autotrainer,
    estimate,
    rounded,
    short,
    training_doctor,
    treats,
)
from paramedic.prescribe.pace import bearable_norm, goes_up, healthy_norm, is_adaptive
from paramedic.types import Finding, Safety, Window


@dataclass(frozen=True, slots=True)
class ClipGradients(Cure):
    """Clips at the norm below which the healthy steps of this run stayed.

    Where no step was healthy: at the norm whose step moves the weights by a hundredth, or at
    Training Doctor's 1.0 where that cannot be told.
    """

    slug = "clip-gradients"
    family = Family.GRADIENT
    safety = Safety.SAFE
    against = treats(
        {
            "exploding-gradient": autotrainer(0.87, "S3"),
            "gradient-instability": training_doctor(0.85),
            "loss-explosion": training_doctor(0.85),
            "learning-rate-too-high": estimate(0.5),
            "non-finite": estimate(0.4),
            "oscillating-loss": estimate(0.4),
        }
    )

    otherwise: float = 1.0

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        # Adam's steps are as long as its rate says, however short its gradients are.
        deaf = is_adaptive(window) and finding.slug == "learning-rate-too-high"
        if deaf or goes_up(window):
            return None
        healthy = healthy_norm(finding, window)
        found = healthy or bearable_norm(window)
        norm = rounded(found or self.otherwise)
        if healthy:
            why = "below which nine of ten healthy steps of this run stayed"
        else:
            why = "whose step moves the weights by a hundredth" if found else "a usual value"
        return Dose(
            title=f"Clip the gradient at a norm of {short(norm)}, {why}",
            code=f"torch.nn.utils.clip_grad_norm_(model.parameters(), {short(norm)})"
            "  # before optimizer.step()",
            action="clip-gradients",
            args={"max_norm": norm},
        )
