"""The mode of the model."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.cure import Cure, Dose, Family, estimate, listed, treats
from paramedic.types import Finding, Safety, Window


@dataclass(frozen=True, slots=True)
class TrainMode(Cure):
    """Switches dropout and batch normalisation back to training after each validation."""

    slug = "train-mode"
    family = Family.FAULT
    safety = Safety.SAFE
    against = treats({"wrong-mode": estimate(0.95)})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        where = f" ({listed(finding.where)} evaluate)" if finding.where else ""
        return Dose(
            title=f"Put the model into training mode at the start of each epoch{where}",
            code="model.train()  # before the training steps of every epoch",
        )
