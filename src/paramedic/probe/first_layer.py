"""What the first layer makes of a batch: whether the samples still differ when they arrive there.

Inputs can be lost inside the model too, by a mask or a scale of its own, where looking at what
goes into the model shows nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import Tensor, nn

from paramedic.probe import native
from paramedic.probe.tree import parts

if TYPE_CHECKING:
    from paramedic.probe.call import Call

_ROWS = 64  # samples that are compared


def first_constant(calls: Sequence[Call]) -> dict[str, float]:
    """The share of units of the first layer with weights that are equal for all samples.

    A layer that is called again and again is judged by the call in which they differ most: the
    first call of a recurrent one is given a state that begins at zero.
    """
    known = [call for call in calls if call.constant is not None and call.intact()]
    if not known:
        return {}
    own = (call.constant for call in known if call.key == known[0].key)
    shares = [share for share in own if share is not None]
    return {"first_constant": next((share for share in shares if share != 1.0), shares[-1])}


def constant_share(
    module: nn.Module, inputs: Sequence[Tensor], output: Tensor | None
) -> float | None:
    """The share of units that are equal for all samples; None of what reads no samples."""
    if output is None or not _reads_samples(module, inputs, output):
        return None
    rows = output.detach()[:_ROWS]
    features = rows.numel() // len(rows)
    if native.kernel is not None and native.is_dense(rows):
        return native.kernel.input(rows, len(rows))[6] / features
    return float((rows == rows[:1]).all(dim=0).sum()) / features


def _reads_samples(module: nn.Module, inputs: Sequence[Tensor], output: Tensor) -> bool:
    if not inputs or not inputs[0].is_floating_point() or inputs[0].dim() < 2:
        return False
    samples = inputs[0].shape[0]
    if not (output.is_floating_point() and output.dim() > 1 and output.shape[0] == samples > 1):
        return False
    return bool(next(parts(module)).own)
