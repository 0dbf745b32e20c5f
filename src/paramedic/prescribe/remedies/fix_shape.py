"""Outputs and targets of one shape."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.cure import Cure, Dose, Family, estimate, treats
from paramedic.types import Finding, Safety, Window


@dataclass(frozen=True, slots=True)
class FixShape(Cure):
    """Compares each prediction with its own target, and with no other."""

    slug = "fix-shape"
    family = Family.FAULT
    safety = Safety.SAFE
    against = treats({"loss-shape-mismatch": estimate(0.95)})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        output, target = window.chart.output_shape, window.chart.target_shape
        if target == (*output, 1):
            fix = "loss = loss_fn(output, targets.squeeze(-1))"
        elif output == (*target, 1):
            fix = "loss = loss_fn(output.squeeze(-1), targets)"
        else:
            fix = "loss = loss_fn(output.flatten(), targets.flatten())"
        compared = finding.evidence.get("compared_shape", [])
        return Dose(
            title=f"Give output {list(output)} and targets the same shape: now they make "
            f"{list(compared)}",
            code=fix,
        )
