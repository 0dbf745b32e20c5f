"""The loss that suits the task."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.anatomy import carriers
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
from paramedic.prescribe.spelling import lines, path
from paramedic.types import Chart, Finding, Window

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
        classes = finding.evidence.get("classes")
        if classes is not None:
            return Dose(
                title=f"Use cross-entropy, with one output for each of the {int(classes)} classes",
                code=lines(
                    (
                        *_head(window.chart, int(classes)),
                        "loss_fn = nn.CrossEntropyLoss()",
                        "targets = targets.long().flatten()",
                    )
                ),
                args={"loss": "cross-entropy", "classes": int(classes)},
            )
        low, high = finding.evidence.get("target_min"), finding.evidence.get("target_max")
        yes_or_no = low is not None and high is not None and low >= 0 and high <= 1
        new = "nn.BCEWithLogitsLoss()" if yes_or_no else "nn.MSELoss()"
        what = "labels of yes or no" if yes_or_no else "numbers"
        name = "binary-cross-entropy-with-logits" if yes_or_no else "mse"
        title = f"Use {new}: the targets are {what}"
        targets = "\ntargets = targets.float()" if yes_or_no else ""
        return Dose(title, f"loss_fn = {new}{targets}", args={"loss": name})


def _head(chart: Chart, classes: int) -> tuple[str, ...]:
    """The last layer with one output for each class, if it is a linear one."""
    layers = carriers(chart)
    if not layers or layers[-1].kind != "Linear":
        return ()
    head = path(layers[-1])
    return (f"{head} = nn.Linear({head}.in_features, {classes})",)


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
            code=f"loss_fn = nn.HuberLoss(delta={short(usual)})  # instead of nn.MSELoss()",
            args={"delta": usual},
        )
