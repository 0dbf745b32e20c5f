"""Statistics of what layers put out: level, spread, extremes, dead units and saturation.

Like all statistics they are computed in one pass: by the native kernel over all values, or in
NumPy over a sample of each output at a fixed stride; extremes and dead units need every value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from paramedic.probe import native
from paramedic.probe.chunks import moments_of
from paramedic.probe.forward import Call
from paramedic.probe.native import Vectors
from paramedic.vocabulary import ACTIVATIONS

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


@dataclass(slots=True)
class _Reading:
    """One tensor to read: the output of a layer, or the input that a functional call made."""

    row: int
    values: Tensor
    function: _Function
    of: str  # "act" or "input"


def activation_columns(calls: Sequence[Call], index: dict[int, int], rows: int) -> Columns:
    """One value per layer of each statistic; NaN for layers that were not called."""
    table = np.full((len(ACTIVATIONS), rows), np.nan, np.float32)
    columns = dict(zip(ACTIVATIONS, table, strict=True))
    readings = []
    shown = {id(call.output) for call in calls}
    latest = {id(call.module): call for call in calls}
    for key, call in latest.items():
        row = index.get(key)
        if row is not None:
            columns["act_training"][row] = call.training
            readings += _readings(row, call, shown)
    if readings:
        _fill_levels(columns, readings)
        _fill_dead(columns, readings)
    return columns


def _readings(row: int, call: Call, shown: set[int]) -> list[_Reading]:
    found = []
    output = call.output
    if output is not None and _is_readable(output) and call.intact():
        found.append(_Reading(row, output, _function_of(call), "act"))
    if call.inputs and id(call.inputs[0]) not in shown and _is_readable(call.inputs[0]):
        function = _function_of_node(call.inputs[0])
        if function != _PLAIN:
            found.append(_Reading(row, call.inputs[0], function, "input"))
    return found


def _fill_levels(columns: Columns, readings: Sequence[_Reading]) -> None:
    """Mean, variance, extremes and saturation."""
    read = [_to_read(reading.values) for reading in readings]
    levels = native.kernel.levels(Vectors(read)) if native.kernel else _sampled_levels(read)
    _widen_extremes(levels, readings, read)
    outputs = [place for place, reading in enumerate(readings) if reading.of == "act"]
    rows = [readings[place].row for place in outputs]
    for name, values in zip(_LEVELS, levels[:, outputs], strict=True):
        columns[name][rows] = values
    for place, reading in enumerate(readings):
        bounds = reading.function.bounds
        if bounds is not None:
            share = _saturated_share(read[place], *bounds)
            columns[f"{reading.of}_saturated"][reading.row] = share


_LEVELS = ("act_mean", "act_var", "act_max_abs", "act_nonfinite")


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


def _sampled_levels(read: Sequence[Tensor]) -> NDArray[np.float32]:
    """What the kernel's `levels` does, in NumPy."""
    x = torch.cat([part.reshape(-1) for part in read]).numpy()
    sizes = np.array([part.numel() for part in read])
    found = moments_of(x, np.cumsum(sizes) - sizes)
    extreme = np.where(found.bad > 0, np.inf, np.maximum(found.high, -found.low))
    variance = found.m2 / np.maximum(found.count, 1.0)
    with np.errstate(over="ignore"):
        return np.array([found.mean, variance, extreme, found.bad > 0]).astype(np.float32)


def _widen_extremes(
    levels: NDArray[np.float32], readings: Sequence[_Reading], read: Sequence[Tensor]
) -> None:
    """Where only a sample was read, look at every value for the extremes; one transfer."""
    sampled = [
        place
        for place, reading in enumerate(readings)
        if read[place].numel() < reading.values.numel()
    ]
    if sampled:
        pairs = [torch.aminmax(readings[place].values.detach()) for place in sampled]
        ends = _fetch([end.float() for pair in pairs for end in pair]).reshape(-1, 2)
        levels[2, sampled] = np.maximum(-ends[:, 0], ends[:, 1])
    bad = ~np.isfinite(levels[2])
    if bad.any():
        levels[:, bad] = np.array([np.nan, np.nan, np.inf, 1.0])[:, None]


def _fill_dead(columns: Columns, readings: Sequence[_Reading]) -> None:
    """Share of units (features, or channels of images) that no sample of the batch activates."""
    rectified = [one for one in readings if one.function.rectifies and one.values.dim() > 1]
    others = []
    for reading in rectified:
        if native.kernel is not None and native.is_dense(reading.values):
            unit = _unit_axis(reading.values)
            dead = native.kernel.dead(reading.values, unit) / reading.values.shape[unit]
            columns[f"{reading.of}_dead"][reading.row] = dead
        else:
            others.append(reading)
    if others:
        shares = _fetch([_dead_share(one.values) for one in others])
        for reading, share in zip(others, shares, strict=True):
            columns[f"{reading.of}_dead"][reading.row] = share


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


def _dead_share(values: Tensor) -> Tensor:
    unit = _unit_axis(values)
    highest = values.detach().amax(dim=[axis for axis in range(values.dim()) if axis != unit])
    return (highest <= 0).sum() / highest.numel()


def _saturated_share(values: Tensor, low: float, high: float) -> float:
    margin = _NEAR * (high - low)
    if native.kernel is not None:
        return native.kernel.outside(values, low + margin, high - margin) / values.numel()
    array = values.numpy()
    return float(np.mean((array < low + margin) | (array > high - margin)))


def _fetch(scalars: Sequence[Tensor]) -> NDArray[np.float32]:
    """Many one-value tensors with one transfer per device."""
    if len({one.device for one in scalars}) > 1:
        scalars = [one.cpu() for one in scalars]
    return np.array(torch.stack(list(scalars)).tolist(), np.float32)


def _is_readable(tensor: Tensor) -> bool:
    return tensor.layout is torch.strided and tensor.is_floating_point() and tensor.numel() > 0


def _function_of(call: Call) -> _Function:
    """The activation function behind an output, by the module or else by autograd's record."""
    module = call.module
    if isinstance(module, nn.RNNBase):
        return _named("relu" if getattr(module, "nonlinearity", "") == "relu" else "tanh")
    if isinstance(module, nn.Hardtanh):
        return _clamp(module.min_val, module.max_val)
    known = _function_of_type(type(module))
    if known is not None or call.output is None:
        return known or _PLAIN
    return _function_of_node(call.output)


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
