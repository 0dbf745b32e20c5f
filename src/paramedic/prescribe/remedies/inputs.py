"""Inputs on a sensible scale, without samples that break a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.rows import middle, scalars
from paramedic.prescribe.cure import (
    Cure,
    Dose,
    Family,
    autotrainer,
    estimate,
    rounded,
    short,
    treats,
)
from paramedic.types import Finding, Window


def finite(window: Window, name: str) -> NDArray[np.float64]:
    """The finite values of a statistic of the batches."""
    values = scalars(window, name)
    return values[np.isfinite(values)]


@dataclass(frozen=True, slots=True)
class NormaliseInputs(Cure):
    """Each input feature by its mean and standard deviation over the training data."""

    slug = "normalise-inputs"
    family = Family.FAULT
    against = treats(
        {
            "abnormal-data": autotrainer(1.0, "S9"),
            "saturated-activation": estimate(0.7),
            "slow-convergence": estimate(0.5),
            "exploding-gradient": estimate(0.5),
        }
    )

    usual: float = 5.0  # spread or mean of inputs that need no scaling

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        centre, spread = finite(window, "input_mean"), finite(window, "input_std")
        if window.chart.input_kind == "integer" or not len(spread) or _has_nan(finding):
            return None
        mean, deviation = middle(centre), middle(spread)
        if finding.slug != "abnormal-data" and max(abs(mean), deviation) < self.usual:
            return None
        return Dose(
            title=f"Normalise the inputs per feature (they have mean {short(mean)} and spread "
            f"{short(deviation)})",
            # A feature that is constant in training has a spread of rounding errors only, and may
            # differ later: hence the floor and the limits.
            code="inputs = ((inputs - train.mean(0)) / (train.std(0) + 1e-6 * train.abs().max()))"
            f".clamp(-10, 10)  # seen: mean {short(mean)}, spread {short(deviation)}",
            args={"mean": mean, "spread": deviation},
        )


@dataclass(frozen=True, slots=True)
class DropBadSamples(Cure):
    """Leaves out samples that are not finite, or far outside of what the others are."""

    slug = "drop-bad-samples"
    family = Family.FAULT
    against = treats(
        {
            "abnormal-data": autotrainer(1.0, "S9"),
            "invalid-labels": estimate(0.9),
            "non-finite": estimate(0.8),
            "gradient-instability": estimate(0.7),
        }
    )

    times: float = 3.0  # the largest value of a usual batch that is still borne

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        origin = finding.evidence.get("origin")
        if finding.slug == "non-finite" and origin not in ("input", "target"):
            return None
        if _has_nan(finding) or finding.slug == "non-finite":
            label = finding.slug == "invalid-labels" or origin == "target"
            return _only_finite("targets" if label else "inputs")
        for what, name in (("input", "inputs"), ("target", "targets")):
            limit = self._limit(window, what)
            if limit is not None and finding.slug != "invalid-labels":
                return _only_small(name, limit)
        return None

    def _limit(self, window: Window, what: str) -> float | None:
        """The size beyond which a value is an outlier; None where no batch has one."""
        low, high = finite(window, f"{what}_min"), finite(window, f"{what}_max")
        if len(low) < 8 or len(high) < 8:
            return None
        largest = np.fmax(np.abs(low), np.abs(high[: len(low)]))
        limit = self.times * middle(largest)
        return rounded(limit) if 0 < limit < largest.max() else None


def _has_nan(finding: Finding) -> bool:
    return "share" in finding.evidence


def _only_finite(name: str) -> Dose:
    return Dose(
        title=f"Leave out the samples whose {name} are NaN or infinite",
        code=f"keep = torch.isfinite({name}).reshape(len({name}), -1).all(1); "
        "inputs, targets = inputs[keep], targets[keep]",
        args={"of": name, "limit": None},
    )


def _only_small(name: str, limit: float) -> Dose:
    return Dose(
        title=f"Leave out the samples with {name} beyond ±{short(limit)}, three times what a "
        "usual batch reaches",
        code=f"keep = {name}.reshape(len({name}), -1).abs().amax(1) < {short(limit)}; "
        "inputs, targets = inputs[keep], targets[keep]",
        args={"of": name, "limit": limit},
    )
