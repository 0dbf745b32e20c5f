"""What keeps a net from learning its training data by heart."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.anatomy import dropout, in_order
from paramedic.prescribe.cure import (
    Cure,
    Dose,
    Family,
    estimate,
    rounded,
    short,
    training_doctor,
    treats,
)
from paramedic.prescribe.pace import is_adaptive, optimizer
from paramedic.prescribe.spelling import lines, optimizer_line, path
from paramedic.types import Chart, Finding, Layer, Window


@dataclass(frozen=True, slots=True)
class MoreDropout(Cure):
    """A tenth more dropout, up to a half."""

    slug = "more-dropout"
    family = Family.REGULARISATION
    against = treats({"overfitting": training_doctor(0.8)})

    by: float = 0.1
    most: float = 0.5

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        now = dropout(window.chart)
        new = rounded(min(now + self.by, self.most))
        if new <= now:
            return None
        if now == 0:
            return Dose(
                title=f"Add dropout of {short(new)} after the hidden activations",
                code=lines(
                    f"{path(one)} = nn.Sequential({path(one)}, nn.Dropout({short(new)}))"
                    for one in _activations(window.chart)
                )
                or f"dropout = nn.Dropout({short(new)})  # after each activation in forward",
                args={"dropout": new},
            )
        return Dose(
            title=f"Raise dropout from {short(now)} to {short(new)}",
            code="for layer in model.modules():\n"
            "    if isinstance(layer, (nn.Dropout, nn.Dropout2d)):\n"
            f"        layer.p = {short(new)}  # was {short(now)}",
            action="raise-dropout",
            args={"by": self.by, "most": self.most},
        )


def _activations(chart: Chart) -> list[Layer]:
    """The activation functions that are modules, without one at the very end."""
    return [layer for layer in in_order(chart)[:-1] if layer.activation is not None]


@dataclass(frozen=True, slots=True)
class WeightDecay(Cure):
    """Ten times the weight decay, or a first one."""

    slug = "weight-decay"
    family = Family.REGULARISATION
    against = treats({"overfitting": estimate(0.5)})

    times: float = 10.0
    most: float = 0.1

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        settings = optimizer(window)
        now = float(settings.get("weight_decay") or 0.0)
        first = 0.01 if is_adaptive(window) else 1e-3
        new = rounded(min(max(now * self.times, first), self.most))
        if new <= now:
            return None
        name = "AdamW" if settings.get("name") == "Adam" else settings.get("name") or "AdamW"
        return Dose(
            title=f"Raise the weight decay from {short(now)} to {short(new)}",
            code=optimizer_line(window, str(name), weight_decay=new),
            args={"weight_decay": new},
        )
