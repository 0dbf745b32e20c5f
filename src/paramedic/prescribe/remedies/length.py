"""Longer runs, and runs that end at their best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.prescribe.cure import Cure, Dose, Family, estimate, short, treats
from paramedic.types import Finding, Window


@dataclass(frozen=True, slots=True)
class TrainLonger(Cure):
    """Twice the epochs; four times where the loss still falls fast."""

    slug = "train-longer"
    family = Family.FAULT
    against = treats({"too-few-steps": estimate(0.8), "slow-convergence": estimate(0.5)})

    fast: float = 0.25  # fall over the last quarter of the run

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        fall = float(finding.evidence.get("fall", finding.evidence.get("pace", 0.0)))
        times = 4 if fall > self.fast else 2
        return Dose(
            title=f"Train {times} times as long: the loss still fell by {fall:.0%} in the last "
            "quarter",
            code=f"epochs *= {times}",
            args={"times": times},
        )


@dataclass(frozen=True, slots=True)
class StopEarly(Cure):
    """Ends the run at the epoch that validated best, and keeps its weights."""

    slug = "stop-early"
    family = Family.REGULARISATION
    against = treats({"overfitting": estimate(0.9), "no-more-gain": estimate(0.9)})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        series = window.series("val_loss")
        name = "validation"
        if not np.isfinite(series).any():
            series, name = window.series("train_loss"), "training"
        if not np.isfinite(series).any():
            return None
        best = int(np.nanargmin(series))
        return Dose(
            title=f"Stop at epoch {best}, whose {name} loss ({short(float(series[best]))}) was "
            "the best, and keep its weights",
            code=f'if epoch == {best}: torch.save(model.state_dict(), "best.pt"); break',
            args={"epoch": best},
        )
