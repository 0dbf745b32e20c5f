"""More: samples in a batch, units in a layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.rows import middle, scalars
from paramedic.prescribe.anatomy import carriers
from paramedic.prescribe.cure import Cure, Dose, Family, Prior, estimate, treats
from paramedic.prescribe.spelling import lines, path
from paramedic.types import Finding, Layer, Window


@dataclass(frozen=True, slots=True)
class LargerBatch(Cure):
    """Twice the batch, up to 256."""

    slug = "larger-batch"
    family = Family.GRADIENT
    against = treats(
        {
            # It ends every oscillation there, and costs 13 points of accuracy: that is no cure.
            "oscillating-loss": Prior(0.3, "AUTOTRAINER's S5, which costs accuracy", 3.0),
            "gradient-instability": estimate(0.3),
        }
    )

    most: int = 256

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        sizes = scalars(window, "batch_size")
        sizes = sizes[np.isfinite(sizes)]
        now = int(middle(sizes)) if len(sizes) else window.chart.batch_size or 0
        if not 0 < now < self.most:
            return None
        new = min(2 * now, self.most)
        return Dose(
            title=f"Use batches of {new} instead of {now}",
            code=f"batch_size = {new}  # was {now}",
            args={"batch_size": new},
        )


@dataclass(frozen=True, slots=True)
class LargerModel(Cure):
    """Gives a net that cannot express the task more units, or a hidden layer."""

    slug = "larger-model"
    family = Family.ARCHITECTURE
    against = treats({"loss-plateau": estimate(0.6)})

    width: int = 32  # units of a hidden layer below which it is a bottleneck

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        layers = carriers(window.chart)
        if not layers:
            return None
        if len(layers) == 1:
            return Dose(
                title=f"Add a hidden layer before `{layers[0].name}`: a linear model may be too "
                "simple",
                code=_deeper(layers[0], self.width),
                args={"hidden": self.width, "depth": 1},
            )
        narrow = min(layers[1:], key=lambda layer: layer.fan_in)
        if narrow.fan_in >= self.width:
            return None
        before = layers[layers.index(narrow) - 1]
        return Dose(
            title=f"Widen the layer before `{narrow.name}` from {narrow.fan_in} to {self.width} "
            "units",
            code=_wider(before, narrow, self.width),
            args={"hidden": self.width},
        )


def _deeper(layer: Layer, width: int) -> str:
    place = path(layer)
    if layer.kind != "Linear":
        return f"# before `{layer.name}`: a layer of {width} units and nn.ReLU()"
    hidden = f"nn.Linear({place}.in_features, {width}), nn.ReLU()"
    return f"{place} = nn.Sequential({hidden}, nn.Linear({width}, {place}.out_features))"


def _wider(before: Layer, narrow: Layer, width: int) -> str:
    if before.kind != "Linear" or narrow.kind != "Linear":
        return f"# `{before.name}`: {width} outputs, and `{narrow.name}`: {width} inputs"
    first, second = path(before), path(narrow)
    return lines(
        (
            f"{first} = nn.Linear({first}.in_features, {width})",
            f"{second} = nn.Linear({width}, {second}.out_features)",
        )
    )
