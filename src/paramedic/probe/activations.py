"""Statistics of what layers put out: level, spread, extremes, dead units and saturation.

Like all statistics they are computed in one pass: by the native kernel over all values, or in
NumPy over a sample of each output at a fixed stride; extremes and dead units need every value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from paramedic.probe import native
from paramedic.probe.forward import Call
from paramedic.probe.moments import Moments
from paramedic.probe.native import Vectors
from paramedic.vocabulary import ACTIVATIONS

Columns = dict[str, NDArray[np.float32]]

_SAMPLE = 2**14  # values per tensor for mean, variance and saturation
_NEAR = 0.01  # of the range: how close to a bound counts as saturated

# Bounds of activation functions, by the name of the autograd node that computes them.
_BOUNDS = {
    "sigmoid": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "hardtanh": (-1.0, 1.0),
    "hardsigmoid": (0.0, 1.0),
    "softsign": (-1.0, 1.0),
}
# Functions with no gradient at all on one side, so that a unit can be dead for good.
_RECTIFIERS = {"relu", "relu6", "threshold"}
# What may stand between an activation function and the layer that reads it.
_PASSES = ("View", "Reshape", "UnsafeView", "Permute", "Transpose", "MaxPool", "AvgPool", "Squeeze")


@dataclass(slots=True)
class _Reading:
    """One tensor to read: the output of a layer, or the input that a functional call made."""

    row: int
    values: Tensor
    function: str | None
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
        if function in _RECTIFIERS or function in _BOUNDS:
            found.append(_Reading(row, call.inputs[0], function, "input"))
    return found


def _fill_levels(columns: Columns, readings: Sequence[_Reading]) -> None:
    """Mean, variance, extremes and saturation."""
    read = [_to_read(reading.values) for reading in readings]
    mean, variance, extreme = _native_levels(read) if native.kernel else _sampled_levels(read)
    _widen_extremes(extreme, readings, read)
    finite = np.isfinite(extreme)
    extreme[~finite], mean[~finite], variance[~finite] = np.inf, np.nan, np.nan
    outputs = [place for place, reading in enumerate(readings) if reading.of == "act"]
    rows = [readings[place].row for place in outputs]
    with np.errstate(over="ignore"):
        columns["act_nonfinite"][rows] = ~finite[outputs]
        columns["act_max_abs"][rows] = extreme[outputs]
        columns["act_mean"][rows] = mean[outputs]
        columns["act_var"][rows] = variance[outputs]
    for place, reading in enumerate(readings):
        bounds = _BOUNDS.get(reading.function or "")
        if bounds is not None:
            share = _saturated_share(read[place], *bounds)
            columns[f"{reading.of}_saturated"][reading.row] = share


def _to_read(values: Tensor) -> Tensor:
    """All values where the kernel can read them in place, else a sample at a fixed stride."""
    if native.kernel is not None and native.is_native(values):
        return values
    flat = values.detach().reshape(-1)
    stride = -(-flat.numel() // _SAMPLE)
    if stride > 1:
        # An odd stride does not walk along one column of a matrix with an even number of them.
        flat = flat[:: stride | 1]
    return flat.to("cpu", torch.float32).contiguous()


Levels = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _native_levels(read: Sequence[Tensor]) -> Levels:
    assert native.kernel is not None
    rows = np.arange(len(read), dtype=np.int64)
    moments = Moments(*native.kernel.moments(Vectors(read), rows, len(read)))
    extreme = np.maximum(moments.high, -moments.low)
    extreme[moments.bad > 0] = np.inf
    return moments.mean, moments.m2 / np.maximum(moments.count, 1), extreme


def _sampled_levels(read: Sequence[Tensor]) -> Levels:
    x = torch.cat([part.reshape(-1) for part in read]).numpy()
    sizes = np.array([part.numel() for part in read])
    starts = np.cumsum(sizes) - sizes
    with np.errstate(invalid="ignore", over="ignore"):
        mean = np.add.reduceat(x, starts).astype(np.float64) / sizes
        square = np.add.reduceat(x * x, starts).astype(np.float64) / sizes
        extreme = np.maximum(np.maximum.reduceat(x, starts), -np.minimum.reduceat(x, starts))
        return mean, np.maximum(square - mean**2, 0.0), extreme.astype(np.float64)


def _widen_extremes(
    extreme: NDArray[np.float64], readings: Sequence[_Reading], read: Sequence[Tensor]
) -> None:
    """Where only a sample was read, look at every value for the extremes; one transfer."""
    sampled = [
        place
        for place, reading in enumerate(readings)
        if read[place].numel() < reading.values.numel()
    ]
    if not sampled:
        return
    pairs = [torch.aminmax(readings[place].values.detach()) for place in sampled]
    ends = _fetch([end.float() for pair in pairs for end in pair]).reshape(-1, 2)
    extreme[sampled] = np.maximum(-ends[:, 0], ends[:, 1])


def _fill_dead(columns: Columns, readings: Sequence[_Reading]) -> None:
    """Share of units (features, or channels of images) that no sample of the batch activates."""
    rectified = [one for one in readings if one.function in _RECTIFIERS and one.values.dim() > 1]
    others = []
    for reading in rectified:
        if native.kernel is not None and native.is_native(reading.values):
            unit = _unit_axis(reading.values)
            dead = native.kernel.dead(reading.values, unit) / reading.values.shape[unit]
            columns[f"{reading.of}_dead"][reading.row] = dead
        else:
            others.append(reading)
    if others:
        shares = _fetch([_dead_share(one.values.detach()) for one in others])
        for reading, share in zip(others, shares, strict=True):
            columns[f"{reading.of}_dead"][reading.row] = share


def _unit_axis(values: Tensor) -> int:
    return 1 if values.dim() in (4, 5) else values.dim() - 1


def _dead_share(values: Tensor) -> Tensor:
    unit = _unit_axis(values)
    highest = values.amax(dim=[axis for axis in range(values.dim()) if axis != unit])
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


def _function_of(call: Call) -> str | None:
    """The activation function behind an output, by the module or else by autograd's record."""
    module = call.module
    if isinstance(module, nn.RNNBase):
        return "relu" if getattr(module, "nonlinearity", "tanh") == "relu" else "tanh"
    if type(module).__module__ == "torch.nn.modules.activation":
        return type(module).__name__.lower()
    return _function_of_node(call.output) if call.output is not None else None


def _function_of_node(tensor: Tensor) -> str | None:
    node = tensor.grad_fn
    for _ in range(4):
        if node is None:
            return None
        name = type(node).__name__
        if not name.startswith(_PASSES):
            return name.partition("Backward")[0].lower()
        node = node.next_functions[0][0] if node.next_functions else None
    return None
