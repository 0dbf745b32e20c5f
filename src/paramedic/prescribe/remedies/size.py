"""More: samples in a batch, units in a layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.rows import middle, scalars
from paramedic.prescribe.anatomy import carriers, units
from paramedic.prescribe.cure import Cure, Dose, Family, Prior, estimate, treats
from paramedic.types import Finding, Window


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
            inputs, outputs = layers[0].fan_in, units(layers[0]) or "…"
            return Dose(
                title=f"Add a hidden layer before `{layers[0].name}`: a linear model may be too "
                "simple",
                code=f"nn.Linear({inputs}, {outputs}) → nn.Sequential(nn.Linear({inputs}, "
                f"{self.width}), nn.ReLU(), nn.Linear({self.width}, {outputs}))",
                args={"hidden": self.width, "depth": 1},
            )
        narrow = min(layers[1:], key=lambda layer: layer.fan_in)
        if narrow.fan_in >= self.width:
            return None
        return Dose(
            title=f"Widen the layer before `{narrow.name}` from {narrow.fan_in} to {self.width} "
            "units",
            code=f"nn.Linear(…, {narrow.fan_in}) → nn.Linear(…, {self.width})",
            args={"hidden": self.width},
        )
