"""Normalisation between the layers."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.diagnose.rows import middle, scalars
from paramedic.prescribe.anatomy import carriers, is_normalised, is_recurrent, units
from paramedic.prescribe.cure import Cure, Dose, Family, autotrainer, estimate, listed, treats
from paramedic.types import Finding, Layer, Window

_FLAT = {"Linear": "BatchNorm1d", "Conv1d": "BatchNorm1d", "Conv2d": "BatchNorm2d"}


@dataclass(frozen=True, slots=True)
class AddNormalisation(Cure):
    """Batch normalisation before the activations; layer normalisation where batches are small
    or the net goes through time. Not where the net has it already."""

    slug = "add-normalisation"
    family = Family.ARCHITECTURE
    against = treats(
        {
            "vanishing-gradient": autotrainer(0.85, "S1"),
            "exploding-gradient": autotrainer(0.84, "S1"),
            "dying-relu": autotrainer(1.0, "S1"),
            "saturated-activation": estimate(0.7),
            "poor-initialization": estimate(0.6),
        }
    )

    batch: int = 8  # samples from which the statistics of a batch can be trusted

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        hidden = carriers(window.chart)[:-1]
        if not hidden or is_normalised(window.chart):
            return None
        layer = hidden[0]
        kind = self._kind(layer, window)
        width = units(layer) or "…"
        return Dose(
            title=f"Add nn.{kind} after {listed(tuple(one.name for one in hidden))}, before the "
            "activation",
            code=f"nn.{layer.kind}(…) → nn.{layer.kind}(…), nn.{kind}({width})",
            args={"kind": kind, "width": width, "layers": [one.name for one in hidden]},
        )

    def _kind(self, layer: Layer, window: Window) -> str:
        sizes = scalars(window, "batch_size")
        small = len(sizes) > 0 and middle(sizes) < self.batch
        if small or is_recurrent(layer):
            return "LayerNorm"
        return _FLAT.get(layer.kind, "LayerNorm")
