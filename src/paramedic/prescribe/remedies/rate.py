"""Another learning rate: lower, higher, capped, or reached by a warm-up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
from paramedic.prescribe.pace import (
    SOUND_RATIO,
    goes_up,
    is_adaptive,
    movement,
    optimizer,
    rate,
    rates,
)
from paramedic.prescribe.spelling import rate_line
from paramedic.types import Finding, Window

_SWINGS = 5.0  # times the lowest rate of the window: the schedule itself is at work


@dataclass(frozen=True, slots=True)
class LowerRate(Cure):
    """Divides the rate so that a step moves the weights by a sound share; by two at least."""

    slug = "lower-rate"
    family = Family.GRADIENT
    against = treats(
        {
            "learning-rate-too-high": training_doctor(0.9),
            "exploding-gradient": training_doctor(0.9),
            "loss-explosion": training_doctor(0.9),
            "oscillating-loss": autotrainer(1.0, "S6"),
            "gradient-instability": estimate(0.5),
            "non-finite": estimate(0.5),
            "dying-relu": estimate(0.5),
            "no-more-gain": estimate(0.4),
        }
    )

    ratio: float = SOUND_RATIO  # of an update to its weights, to be reached
    most: float = 0.5  # the mildest factor: Training Doctor's
    least: float = 1e-3  # the strongest factor

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        if goes_up(window) or _is_moment(finding):
            return None
        moved = movement(finding, window)
        wanted = self.most if moved is None else self.ratio / moved
        factor = rounded(min(max(wanted, self.least), self.most))
        return _scaled(window, factor, "Lower", moved)


@dataclass(frozen=True, slots=True)
class RaiseRate(Cure):
    """Multiplies the rate so that a step moves the weights by a sound share; by two at least."""

    slug = "raise-rate"
    family = Family.GRADIENT
    against = treats(
        {
            "learning-rate-too-low": autotrainer(0.95, "S6"),
            "slow-convergence": autotrainer(0.95, "S6"),
            "vanishing-gradient": training_doctor(0.7),
            "loss-plateau": estimate(0.4),
            "too-few-steps": estimate(0.5),
        }
    )

    ratio: float = SOUND_RATIO
    least: float = 2.0  # the mildest factor: Training Doctor's
    most: float = 1e4  # the strongest factor

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        if _is_moment(finding):
            return None
        # Where gradients vanish the typical layer does not tell: the last ones move enough.
        moved = None if finding.slug == "vanishing-gradient" else movement(finding, window)
        wanted = self.least if moved is None else self.ratio / moved
        factor = rounded(min(max(wanted, self.least), self.most))
        return _scaled(window, factor, "Raise", moved)


def _is_moment(finding: Finding) -> bool:
    """One odd step is no reason for another rate."""
    return "moment" in finding.evidence


def _scaled(window: Window, factor: float, verb: str, moved: float | None) -> Dose:
    now = rate(window)
    change = "" if now is None else f" from {short(now)} to {short(rounded(now * factor))}"
    why = "" if moved is None else f": a step moves the typical layer by {short(moved)} of its size"
    return Dose(
        title=f"{verb} the learning rate{change}{why}",
        code=rate_line(window, now, factor),
        action="scale-rate",
        args={"factor": factor},
    )


@dataclass(frozen=True, slots=True)
class CapRate(Cure):
    """Keeps a schedule from going where its steps were too large."""

    slug = "cap-rate"
    family = Family.GRADIENT
    against = treats(
        {
            "learning-rate-too-high": estimate(0.7),
            "loss-explosion": estimate(0.7),
            "oscillating-loss": estimate(0.7),
        }
    )

    ratio: float = SOUND_RATIO
    times: float = _SWINGS

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        seen = rates(window)
        seen = seen[seen > 0]
        if not len(seen) or seen.max() < self.times * seen.min():
            return None
        cap = rounded(self._cap(finding, window, float(seen.max()), float(seen.min())))
        return Dose(
            title=f"Keep the schedule from raising the rate above {short(cap)} (it goes up to "
            f"{short(float(seen.max()))})",
            code=f'for group in optimizer.param_groups: group["lr"] = min(group["lr"], '
            f"{short(cap)})  # after scheduler.step()",
            args={"most": cap},
        )

    def _cap(self, finding: Finding, window: Window, highest: float, lowest: float) -> float:
        moved = movement(finding, window)
        if moved is None:
            return max(highest / 10, lowest)
        at_highest = moved * highest / max(float(np.median(rates(window))), lowest)
        return min(max(highest * self.ratio / at_highest, lowest), highest / 2)


@dataclass(frozen=True, slots=True)
class WarmUp(Cure):
    """Begins with a small rate, while an adaptive optimizer learns the size of the gradients.

    Over a tenth of the steps that the run is known to take, at most.
    """

    slug = "warm-up"
    family = Family.GRADIENT
    against = treats(
        {
            "learning-rate-too-high": estimate(0.3),
            "exploding-gradient": estimate(0.3),
        }
    )

    most: int = 2000  # steps
    least: int = 5  # steps: a shorter one changes nothing
    share: float = 0.1  # of the steps of the run

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        seen = rates(window)
        if not is_adaptive(window) or (len(seen) and seen[0] < 0.5 * seen.max()):
            return None
        betas = optimizer(window).get("betas")
        slow = betas[1] if isinstance(betas, tuple | list) and len(betas) == 2 else 0.99
        known = int(self.share * (window.last_step + 1))
        steps = min(round(2 / max(1 - float(slow), 1e-4)), self.most, known)
        if steps < self.least:
            return None
        return Dose(
            title=f"Warm the rate up over {steps} steps",
            code="scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, "
            f"total_iters={steps})  # and scheduler.step() after each optimizer.step()",
            args={"steps": steps},
        )
