"""Normalisation between the layers."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.diagnose.rows import middle, scalars
from paramedic.prescribe.anatomy import carriers, is_normalised, is_recurrent, units
from paramedic.prescribe.cure import Cure, Dose, Family, autotrainer, estimate, listed, treats
from paramedic.prescribe.spelling import lines, path
from paramedic.types import Finding, Layer, Window

FLAT = {"Linear": "BatchNorm1d", "Conv1d": "BatchNorm1d", "Conv2d": "BatchNorm2d"}


def made(kind: str, layer: Layer) -> str:
    """A normalisation whose size is that of the layer's outputs."""
    if layer.kind == "Linear":
        return f"nn.{kind}({path(layer)}.out_features)"
    channels = f"{path(layer)}.out_channels"
    # A layer normalisation over the channels alone is a group of all of them.
    return f"nn.GroupNorm(1, {channels})" if kind == "LayerNorm" else f"nn.{kind}({channels})"


def _beside(layer: Layer, kind: str) -> str:
    """For layers that cannot be wrapped: their output is not a single tensor."""
    place = path(layer)
    if is_recurrent(layer):
        return f"{place}_norm = nn.{kind}({place}.hidden_size)  # and call it in forward"
    return f"# in forward: nn.{kind} on the output of {place}"


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
        flat = [one for one in hidden if one.kind in FLAT]
        return Dose(
            title=f"Add nn.{kind} after {listed(tuple(one.name for one in hidden))}, before the "
            "activation",
            code=lines(
                f"{path(one)} = nn.Sequential({path(one)}, {made(kind, one)})" for one in flat
            )
            or _beside(layer, kind),
            args={"kind": kind, "width": width, "layers": [one.name for one in hidden]},
        )

    def _kind(self, layer: Layer, window: Window) -> str:
        sizes = scalars(window, "batch_size")
        small = len(sizes) > 0 and middle(sizes) < self.batch
        # Of a batch of sequences the features come last, where BatchNorm1d wants them second.
        sequences = layer.kind == "Linear" and len(window.chart.output_shape) > 2
        if small or sequences or is_recurrent(layer):
            return "LayerNorm"
        return FLAT.get(layer.kind, "LayerNorm")
