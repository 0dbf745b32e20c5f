"""The loss that suits the task."""

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
    treats,
)
from paramedic.prescribe.remedies.inputs import finite
from paramedic.types import Finding, Window

MODULES = {
    "mse": "nn.MSELoss()",
    "l1": "nn.L1Loss()",
    "smooth-l1": "nn.SmoothL1Loss()",
    "huber": "nn.HuberLoss()",
    "cross-entropy": "nn.CrossEntropyLoss()",
}


@dataclass(frozen=True, slots=True)
class LossFunction(Cure):
    """Cross-entropy for classes, its binary form for yes or no, squared error for numbers."""

    slug = "loss-function"
    family = Family.FAULT
    against = treats({"improper-loss": autotrainer(1.0, "S8")})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        old = MODULES.get(window.chart.loss or "", "loss_fn")
        classes = finding.evidence.get("classes")
        if classes is not None:
            return Dose(
                title=f"Use cross-entropy, with one output for each of the {int(classes)} classes",
                code=f"{old} → nn.CrossEntropyLoss()  # and nn.Linear(…, 1) → "
                f"nn.Linear(…, {int(classes)}), targets.long().flatten()",
                args={"loss": "cross-entropy", "classes": int(classes)},
            )
        low, high = finding.evidence.get("target_min"), finding.evidence.get("target_max")
        yes_or_no = low is not None and high is not None and low >= 0 and high <= 1
        new = "nn.BCEWithLogitsLoss()" if yes_or_no else "nn.MSELoss()"
        what = "labels of yes or no" if yes_or_no else "numbers"
        name = "binary-cross-entropy-with-logits" if yes_or_no else "mse"
        title = f"Use {new}: the targets are {what}"
        return Dose(title, f"{old} → {new}", args={"loss": name})


@dataclass(frozen=True, slots=True)
class RobustLoss(Cure):
    """A loss that grows with the error, not with its square, beyond the spread of the targets."""

    slug = "robust-loss"
    family = Family.GRADIENT
    against = treats({"gradient-instability": estimate(0.7)})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        spread = finite(window, "target_std")
        if window.chart.loss != "mse" or not len(spread):
            return None
        ordered = sorted(spread.tolist())
        usual = rounded(ordered[len(ordered) // 2]) or 1.0
        return Dose(
            title=f"Use a Huber loss, so that errors beyond {short(usual)} (the spread of the "
            "targets) do not count by their square",
            code=f"nn.MSELoss() → nn.HuberLoss(delta={short(usual)})",
            args={"delta": usual},
        )
