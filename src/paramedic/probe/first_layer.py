"""What the first layer makes of a batch: whether the samples still differ when they arrive there.

Inputs can be lost inside the model too, by a mask or a scale of its own, where looking at what
goes into the model shows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from paramedic.probe import native
from paramedic.probe.forward import Call
from paramedic.probe.tree import parts

_ROWS = 64  # samples that are compared


def first_constant(calls: Sequence[Call]) -> dict[str, float]:
    """The share of units of the first layer with weights that are equal for all samples.

    A layer that is called again and again is judged by the call in which they differ most: the
    first call of a recurrent one is given a state that begins at zero.
    """
    read = (call for call in calls if _reads_samples(call))
    first = next(read, None)
    if first is None:
        return {}
    share = _constant_share(first)
    again = (call for call in read if call.module is first.module)
    while share == 1.0 and (call := next(again, None)) is not None:
        share = _constant_share(call)
    return {"first_constant": share}


def _reads_samples(call: Call) -> bool:
    output = call.output
    if output is None or not call.intact():
        return False
    if not next(parts(call.module)).own:
        return False
    if not call.inputs or not call.inputs[0].is_floating_point() or call.inputs[0].dim() < 2:
        return False
    samples = call.inputs[0].shape[0]
    return output.is_floating_point() and output.dim() > 1 and output.shape[0] == samples > 1


def _constant_share(call: Call) -> float:
    assert call.output is not None
    rows = call.output.detach()[:_ROWS]
    features = rows.numel() // len(rows)
    if native.kernel is not None and native.is_dense(rows):
        return native.kernel.input(rows, len(rows))[6] / features
    return float((rows == rows[:1]).all(dim=0).sum()) / features
