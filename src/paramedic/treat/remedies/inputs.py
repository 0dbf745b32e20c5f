"""S9: inputs on a sensible scale, without gaps and without values that break a batch.

All numbers come from the training data; the validation data is changed by the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from paramedic.treat.plan import Plan
from paramedic.treat.preparation import Preparation
from paramedic.treat.preparations import ClipOutliers, ImputeMissing, Standardise
from paramedic.treat.remedies.reading import numbers
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding

_SCALE = (
    "abnormal-data", "saturated-activation", "slow-convergence", "exploding-gradient",
    "loss-explosion", "non-finite", "loss-plateau", "dying-relu", "gradient-instability",
    "oscillating-loss", "learning-rate-too-high", "learning-rate-too-low", "too-few-steps",
)  # fmt: skip
_USUAL = 5.0  # largest mean or spread of a feature that needs no scaling
_SMALL = 0.02  # spread of all features below which they need scaling too


@dataclass(frozen=True, slots=True)
class CleanInputs:
    """Fills gaps, cuts outliers and standardises: AUTOTRAINER's S9.

    Its authors drop outliers; here no sample is lost.
    """

    slug: str = "clean-inputs"
    title: str = "Fill gaps, cut outliers and standardise the inputs"
    solution: str = "S9"
    against: tuple[str, ...] = ("abnormal-data", "non-finite", "dead-input")

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        numbers(plan)
        return _prepared(plan, (ImputeMissing(), ClipOutliers(), Standardise()))


@dataclass(frozen=True, slots=True)
class StandardiseInputs:
    """Each input feature by its mean and deviation over the training data."""

    slug: str = "standardise-inputs"
    title: str = "Standardise the inputs"
    against: tuple[str, ...] = _SCALE

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        x = numbers(plan).double()
        x = x[torch.isfinite(x)]
        size = max(float(x.mean().abs()), float(x.std(correction=0))) if len(x) else 0.0
        if finding.slug != "abnormal-data" and _SMALL < size < _USUAL:
            raise Refusal(f"The inputs have mean and spread of at most {size:.3g}, as they should.")
        return _prepared(plan, (Standardise(),))


@dataclass(frozen=True, slots=True)
class ImputeInputs:
    """The training median of its feature for each input that is NaN or infinite."""

    slug: str = "impute-inputs"
    title: str = "Fill inputs that are NaN or infinite"
    against: tuple[str, ...] = ("abnormal-data", "non-finite")

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        if bool(torch.isfinite(_all(plan)).all()):
            raise Refusal("All inputs are finite.")
        return _prepared(plan, (ImputeMissing(),))


@dataclass(frozen=True, slots=True)
class ClipInputs:
    """Inputs cut where they are far outside of what the others are."""

    slug: str = "clip-inputs"
    title: str = "Cut inputs that are outliers"
    against: tuple[str, ...] = ("abnormal-data", "gradient-instability", "exploding-gradient")

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        x = _all(plan)
        if torch.equal(torch.nan_to_num(ClipOutliers().fit(x)(x)), torch.nan_to_num(x)):
            raise Refusal("No input is far outside of what the others are.")
        return _prepared(plan, (ClipOutliers(),))


def _all(plan: Plan) -> torch.Tensor:
    numbers(plan)
    x = plan.batches[0].gathered()[0]
    assert isinstance(x, torch.Tensor)
    return x


def _prepared(plan: Plan, parts: tuple[Preparation, ...]) -> Treated:
    new = tuple(part for part in parts if part not in plan.inputs)
    if not new or any(isinstance(part, Standardise) for part in plan.inputs):
        raise Refusal("The inputs are prepared like this already.")
    names = ", ".join(part.code() for part in new)
    return Treated(
        plan.replace(inputs=(*plan.inputs, *new)),
        f"Prepare the inputs, by the training data: {names}.",
        f"inputs = ({names},)",
    )
