"""What is done to a live run: skip a step, go back, stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.prescribe.cure import Cure, Dose, Family, estimate, treats
from paramedic.types import Finding, Safety, Window

_SOUND = 2  # steps that must have been sound


@dataclass(frozen=True, slots=True)
class SkipStep(Cure):
    """Does not take a step whose loss or gradient is not finite."""

    slug = "skip-step"
    family = Family.GRADIENT
    safety = Safety.SAFE
    against = treats({"non-finite": estimate(0.6)})

    share: float = 0.5  # of the steps that are bad: beyond it nothing would be left

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        first = finding.evidence.get("first_step", finding.step)
        if finding.evidence.get("origin") == "weight" or int(first) < _SOUND:
            return None  # too late, or never sound
        since = window.pulse.step >= int(first)
        bad = ~window.pulse.finite[since]
        if len(bad) > 8 and float(np.mean(bad)) > self.share:
            return None
        return Dose(
            title="Skip steps whose loss or gradient is not finite",
            code="if torch.isfinite(loss): loss.backward(); optimizer.step()",
            action="skip-step",
        )


@dataclass(frozen=True, slots=True)
class RollBack(Cure):
    """Goes back to the last good weights and leaves out the batches that ruined them."""

    slug = "roll-back"
    family = Family.LAST_RESORT
    against = treats(
        {
            "loss-explosion": estimate(0.6),
            "non-finite": estimate(0.6),
            "exploding-gradient": estimate(0.5),
            "gradient-instability": estimate(0.5),
        }
    )

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        if int(finding.evidence.get("first_step", _SOUND)) < _SOUND:
            return None  # there were no good weights
        return Dose(
            title="Go back to the last good weights and skip the batches since",
            code="model.load_state_dict(good_weights); optimizer.load_state_dict(good_state)",
            action="roll-back",
        )


@dataclass(frozen=True, slots=True)
class Stop(Cure):
    """Ends the run: nothing else has helped. Only escalation asks for it."""

    slug = "stop"
    family = Family.LAST_RESORT
    against = treats({})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        return Dose(
            title=f"Stop the run: {finding.slug} comes back whatever is done",
            code="break",
            action="stop",
        )
