"""Gradients that are set to zero."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.cure import Cure, Dose, Family, estimate, treats
from paramedic.types import Finding, Safety, Window


@dataclass(frozen=True, slots=True)
class ZeroGrad(Cure):
    """Forgets the gradients of the step before."""

    slug = "zero-grad"
    family = Family.FAULT
    safety = Safety.SAFE
    against = treats({"missing-zero-grad": estimate(0.95)})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        every = window.chart.accumulate
        when = "before `backward`" if every <= 1 else f"after every {every} backward passes"
        return Dose(
            title=f"Set the gradients to zero {when}",
            code="optimizer.zero_grad()  # before loss.backward()",
        )
