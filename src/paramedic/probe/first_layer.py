"""What the first layer makes of a batch: whether the samples still differ when they arrive there.

Inputs can be lost inside the model too, by a mask or a scale of its own, where looking at what
goes into the model shows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from paramedic.probe import native
from paramedic.probe.forward import Call

_ROWS = 64  # samples that are compared


def first_constant(calls: Sequence[Call]) -> dict[str, float]:
    """The share of units of the first layer with weights that are equal for all samples."""
    for call in calls:
        output = call.output
        if output is not None and call.intact() and _reads_samples(call, output):
            return {"first_constant": _constant_share(output.detach()[:_ROWS])}
    return {}


def _reads_samples(call: Call, output: Tensor) -> bool:
    if not any(weight is not None for weight in call.module._parameters.values()):
        return False
    if not call.inputs or not call.inputs[0].is_floating_point() or call.inputs[0].dim() < 2:
        return False
    samples = call.inputs[0].shape[0]
    return output.is_floating_point() and output.dim() > 1 and output.shape[0] == samples > 1


def _constant_share(rows: Tensor) -> float:
    features = rows.numel() // len(rows)
    if native.kernel is not None and native.is_native(rows):
        return native.kernel.input(rows, len(rows))[6] / features
    return float((rows == rows[:1]).all(dim=0).sum()) / features
