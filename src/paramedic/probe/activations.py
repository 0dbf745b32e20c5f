"""Statistics of what layers put out: level, spread, extremes, dead units and saturation.

They are computed when the layer has just put them out, so that nothing has to be kept until the
backward pass. Like all statistics in one pass: by the native kernel over all values, or in NumPy
over a sample of each output at a fixed stride; extremes and dead units need every value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from paramedic.probe import native
from paramedic.probe.chunks import moments_of
from paramedic.probe.native import Vectors
from paramedic.vocabulary import ACTIVATIONS

if TYPE_CHECKING:
    from paramedic.probe.call import Call

Columns = dict[str, NDArray[np.float32]]

_SAMPLE = 2**14  # values per tensor for mean, variance and saturation
_NEAR = 0.01  # of the range: how close to a bound counts as saturated

# Bounds of activation functions, by the name of the autograd node that computes them.
_BOUNDS = {
    "sigmoid": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "hardsigmoid": (0.0, 1.0),
    "softsign": (-1.0, 1.0),
}
# Functions with no gradient at all on one side, so that a unit can be dead for good.
_RECTIFIERS = {"relu", "threshold"}
# Layers that have no activation function inside: not worth a look at autograd's record.
_AFFINE = {nn.Linear, nn.Conv1d, nn.Conv2d, nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm}
# What may stand between an activation function and the layer that reads it.
_LONGEST_WAY = 6  # operations from a value back to the convolution that it comes from
_PASSES = ("View", "Reshape", "UnsafeView", "Permute", "Transpose", "MaxPool", "AvgPool", "Squeeze")


class _Function(NamedTuple):
    """What is known of the activation function behind a tensor."""

    rectifies: bool = False
    bounds: tuple[float, float] | None = None


_PLAIN = _Function()


class Reading(NamedTuple):
    """What was read of one tensor: the output of a layer, or the input that a function made."""

    of: str  # "act" or "input"
    levels: tuple[float, ...] | None  # as `_LEVELS` names them; only of outputs
    dead: float
    saturated: float


def activation_columns(calls: Sequence[Call], index: dict[int, int], rows: int) -> Columns:
    """One value per layer of each statistic; NaN for layers that were not called."""
    table = np.full((len(ACTIVATIONS), rows), np.nan, np.float32)
    columns = dict(zip(ACTIVATIONS, table, strict=True))
    latest = {call.key: call for call in calls}
    latest_read = {call.key: call for call in calls if call.readings is not None}
    for key, call in latest.items():
        row = index.get(key)
        if row is not None:
            columns["act_training"][row] = call.training
            _fill(columns, row, latest_read.get(key))
    return columns


def _fill(columns: Columns, row: int, call: Call | None) -> None:
    for reading in (call.readings or ()) if call is not None else ():
        if call is not None and reading.of == "act" and not call.intact():
            continue  # not what the layer has put out any more
        for name, value in zip(_LEVELS, reading.levels or (), strict=False):
            columns[name][row] = value
        columns[f"{reading.of}_dead"][row] = reading.dead
        columns[f"{reading.of}_saturated"][row] = reading.saturated


_LEVELS = ("act_mean", "act_var", "act_max_abs", "act_nonfinite")


def read(module: nn.Module, before: Tensor | None, output: Tensor | None) -> tuple[Reading, ...]:
    """The statistics of what a layer puts out, and of its input `before` if no layer made it and
    an activation function did."""
    found = []
    if output is not None and _is_readable(output):
        found.append(_reading("act", output, _function_of(module, output)))
    if before is not None and _is_readable(before):
        function = _function_of_node(before)
        if function != _PLAIN:
            found.append(_reading("input", before, function))
    return tuple(found)


def _reading(of: str, values: Tensor, function: _Function) -> Reading:
    to_read = _to_read(values)
    levels = _levels(values, to_read) if of == "act" else None
    dead = saturated = math.nan
    if function.rectifies and values.dim() > 1:
        dead = _dead_share(values)
    if function.bounds is not None:
        saturated = _saturated_share(to_read, *function.bounds)
    return Reading(of, levels, dead, saturated)


def _levels(values: Tensor, to_read: Tensor) -> tuple[float, ...]:
    """Mean, variance, largest absolute value, and whether something is not finite."""
    sampled = to_read.numel() < values.numel()
    table = native.kernel.levels(Vectors([to_read])) if native.kernel else _sampled_levels(to_read)
    mean, variance, extreme, bad = table[:, 0].tolist()
    if sampled:  # look at every value for the extremes
        low, high = torch.stack(torch.aminmax(values.detach())).tolist()
        extreme = high if math.isnan(high) else max(-low, high)
    if not math.isfinite(extreme):
        return (math.nan, math.nan, math.inf, 1.0)
    return (mean, variance, extreme, bad)


def _to_read(values: Tensor) -> Tensor:
    """All values where the kernel can read them in place, else a sample at a fixed stride."""
    if native.kernel is not None and native.is_dense(values):
        return values
    flat = values.detach().reshape(-1)
    stride = -(-flat.numel() // _SAMPLE)
    if stride > 1:
        # An odd stride does not walk along one column of a matrix with an even number of them.
        flat = flat[:: stride | 1]
    return flat.to("cpu", torch.float32).contiguous()


def _sampled_levels(read: Tensor) -> NDArray[np.float32]:
    """What the kernel's `levels` does, in NumPy."""
    x = read.reshape(-1).numpy()
    found = moments_of(x, np.zeros(1, np.int64))
    extreme = np.where(found.bad > 0, np.inf, np.maximum(found.high, -found.low))
    variance = found.m2 / np.maximum(found.count, 1.0)
    with np.errstate(over="ignore"):
        return np.array([found.mean, variance, extreme, found.bad > 0]).astype(np.float32)


def _unit_axis(values: Tensor) -> int:
    """Which axis holds the units: the channels of a convolution, else the features."""
    if values.dim() not in (3, 4, 5) or _is_channels_last(values):
        return values.dim() - 1
    return 1 if values.dim() > 3 or _comes_from_convolution(values) else 2


def _is_channels_last(values: Tensor) -> bool:
    """Whether the channels of a convolution were moved to the end, as Keras does."""
    node = values.grad_fn
    for _ in range(_LONGEST_WAY):
        if node is None or "Convolution" in type(node).__name__:
            return False
        if "Permute" in type(node).__name__:
            return True
        node = node.next_functions[0][0] if node.next_functions else None
    return False


def _comes_from_convolution(values: Tensor) -> bool:
    node = values.grad_fn
    for _ in range(4):
        if node is None:
            return False
        if "Convolution" in type(node).__name__:
            return True
        node = node.next_functions[0][0] if node.next_functions else None
    return False


def _dead_share(values: Tensor) -> float:
    """Share of units (features, or channels of images) that no sample of the batch activates."""
    unit = _unit_axis(values)
    if native.kernel is not None and native.is_dense(values):
        return native.kernel.dead(values, unit) / values.shape[unit]
    highest = values.detach().amax(dim=[axis for axis in range(values.dim()) if axis != unit])
    return float((highest <= 0).sum() / highest.numel())


def _saturated_share(values: Tensor, low: float, high: float) -> float:
    margin = _NEAR * (high - low)
    if native.kernel is not None:
        return native.kernel.outside(values, low + margin, high - margin) / values.numel()
    array = values.numpy()
    return float(np.mean((array < low + margin) | (array > high - margin)))


def _is_readable(tensor: Tensor) -> bool:
    return tensor.layout is torch.strided and tensor.is_floating_point() and tensor.numel() > 0


def _function_of(module: nn.Module, output: Tensor) -> _Function:
    """The activation function behind an output, by the module or else by autograd's record."""
    if isinstance(module, nn.RNNBase):
        return _named("relu" if getattr(module, "nonlinearity", "") == "relu" else "tanh")
    if isinstance(module, nn.Hardtanh):
        return _clamp(module.min_val, module.max_val)
    known = _function_of_type(type(module))
    return _function_of_node(output) if known is None else known


def _function_of_type(kind: type[nn.Module]) -> _Function | None:
    """The function that every module of this type computes last, if its name tells."""
    if kind in _AFFINE:
        return _PLAIN
    if kind.__module__ == "torch.nn.modules.activation":
        return _named(kind.__name__.lower())
    return None


def _function_of_node(tensor: Tensor) -> _Function:
    node = tensor.grad_fn
    for _ in range(4):
        if node is None:
            return _PLAIN
        name = type(node).__name__
        if name.startswith("Hardtanh"):
            return _clamp(node._saved_min_val, node._saved_max_val)  # type: ignore[attr-defined]
        if not name.startswith(_PASSES):
            return _named(name.partition("Backward")[0].lower())
        node = node.next_functions[0][0] if node.next_functions else None
    return _PLAIN


def _named(function: str) -> _Function:
    if function in _RECTIFIERS:
        return _Function(rectifies=True)
    bounds = _BOUNDS.get(function)
    return _PLAIN if bounds is None else _Function(bounds=bounds)


def _clamp(low: float, high: float) -> _Function:
    """A clamp from zero up (ReLU6) rectifies; any other saturates at both ends."""
    return _Function(rectifies=True) if low == 0 else _Function(bounds=(low, high))
