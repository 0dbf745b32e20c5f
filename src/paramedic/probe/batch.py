"""What goes in and what is asked for: statistics of inputs, outputs and targets, and the task.

The loss function and its targets are found in autograd's record of the loss, so they are seen
whether the loss was computed by a module or by a function.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from paramedic.probe import native
from paramedic.probe.chunks import row_moments
from paramedic.probe.forward import Call
from paramedic.probe.graph import saved_tensor
from paramedic.probe.native import Vectors
from paramedic.types import Task

_SAMPLE_ROWS = 512  # of a batch that are read
_FEW_ROWS = 64  # of a batch that are compared to find constant features
_MOST_CLASSES = 10_000  # distinct labels that are counted

# Autograd nodes that keep the target of a loss, and the name of that loss.
_LOSS_NODES = {
    "NllLossBackward": "nll",
    "NllLoss2DBackward": "nll",
    "MseLossBackward": "mse",
    "SmoothL1LossBackward": "smooth-l1",
    "HuberLossBackward": "huber",
    "BinaryCrossEntropyBackward": "binary-cross-entropy",
    "BinaryCrossEntropyWithLogitsBackward": "binary-cross-entropy-with-logits",
    "SoftMarginLossBackward": "soft-margin",
    "MultiMarginLossBackward": "multi-margin",
    "MultilabelMarginLossBackward": "multi-label-margin",
}
_LOSS_MODULES = {
    "CrossEntropyLoss": "cross-entropy",
    "NLLLoss": "nll",
    "MSELoss": "mse",
    "L1Loss": "l1",
    "BCELoss": "binary-cross-entropy",
    "BCEWithLogitsLoss": "binary-cross-entropy-with-logits",
    "SmoothL1Loss": "smooth-l1",
    "HuberLoss": "huber",
}
_LOSS_FUNCTIONS = {
    "cross_entropy": "cross-entropy",
    "nll_loss": "nll",
    "mse_loss": "mse",
    "l1_loss": "l1",
    "binary_cross_entropy": "binary-cross-entropy",
    "binary_cross_entropy_with_logits": "binary-cross-entropy-with-logits",
    "smooth_l1_loss": "smooth-l1",
    "huber_loss": "huber",
}


@dataclass(slots=True)
class Batch:
    """The tensors of one training batch, as far as they could be seen."""

    inputs: list[Tensor] = field(default_factory=list)
    output: Tensor | None = None
    loss: str | None = None
    target: Tensor | None = None
    prediction: Tensor | None = None  # what the loss compares with the target


def find_batch(
    calls: Sequence[Call], roots: Sequence[Tensor], models: set[int], loss_fn: Any = None
) -> Batch:
    """Put together what the forward hooks and the graph of the loss tell about the batch."""
    batch = Batch()
    for call in calls:
        is_loss = call.module is loss_fn or isinstance(call.module, nn.modules.loss._Loss)
        if id(call.module) in models:
            batch.inputs, batch.output = call.inputs, call.output
        elif is_loss and len(call.inputs) > 1:
            batch.loss = loss_name(call.module)
            batch.prediction, batch.target = call.inputs[0], call.inputs[1]
    if batch.target is None:
        _read_graph(batch, roots)
    return batch


def loss_name(loss_fn: Any) -> str:
    """How a loss function is called: one of our names for torch's own, else its own name."""
    if isinstance(loss_fn, nn.Module):
        kind = type(loss_fn).__name__
        return _LOSS_MODULES.get(kind, kind)
    name = str(getattr(loss_fn, "__name__", type(loss_fn).__name__))
    return _LOSS_FUNCTIONS.get(name, name)


def _read_graph(batch: Batch, roots: Sequence[Tensor]) -> None:
    for node in _nodes(roots):
        name = type(node).__name__.rstrip("0123456789")
        if name not in _LOSS_NODES:
            continue
        batch.loss = _LOSS_NODES[name]
        batch.target, batch.prediction = saved_tensor(node, "target"), saved_tensor(node, "self")
        before = node.next_functions[0][0] if node.next_functions else None
        if batch.loss == "nll" and "LogSoftmax" in type(before).__name__:
            batch.loss = "cross-entropy"
        return


def _nodes(roots: Sequence[Tensor], most: int = 48) -> Iterator[Any]:
    """The nodes nearest to the loss, breadth first."""
    queue = deque(root.grad_fn for root in roots if root.grad_fn is not None)
    seen: set[Any] = set()
    while queue and len(seen) < most:
        node = queue.popleft()
        if node in seen:
            continue
        seen.add(node)
        yield node
        queue.extend(after for after, _ in node.next_functions if after is not None)


def batch_scalars(batch: Batch, counts: Counter[int]) -> dict[str, float]:
    """The statistics of one batch, for the scalars of a frame; adds integer labels to `counts`."""
    found: dict[str, float] = {}
    if batch.inputs:
        tensor = batch.inputs[0]
        found["batch_size"] = float(tensor.shape[0] if tensor.dim() else 1)
        found.update(_input_scalars(_rows(tensor)))
    if batch.target is not None:
        found.update(_target_scalars(_rows(batch.target), counts))
    if batch.output is not None and batch.output.is_floating_point():
        found.update(_output_scalars(_rows(batch.output)))
    return found


def _rows(tensor: Tensor) -> Tensor:
    """The first samples of a batch, on the host, as real numbers; none of a sparse tensor."""
    rows = tensor.detach() if tensor.layout is torch.strided else torch.empty(0)
    rows = rows[:_SAMPLE_ROWS] if rows.dim() else rows.reshape(1)
    return rows.cpu().abs() if rows.is_complex() else rows.cpu()


def _input_scalars(rows: Tensor) -> dict[str, float]:
    if not rows.numel():
        return {}
    found = _spread("input", rows)
    if len(rows) > 1 and rows.dim() > 1:
        found["input_constant"] = _constant_share(rows[:_FEW_ROWS])
    return found


def _constant_share(rows: Tensor) -> float:
    if native.kernel is not None and native.is_native(rows):
        return native.kernel.constant(rows) / rows[0].numel()
    same = (rows[1:] == rows[:1]).all(dim=0)
    return float(same.float().mean())


def _spread(of: str, rows: Tensor) -> dict[str, float]:
    """Extremes, mean and deviation of the finite values, and the share of the others."""
    flat = rows if rows.dtype is torch.float32 else rows.float()
    if native.kernel is not None and native.is_native(flat):
        table = native.kernel.moments(Vectors([flat]), _ONE_ROW, 1)
    else:
        table = row_moments(flat.reshape(-1).numpy()).table()
    count, bad, _, _, mean, square, _, _, low, high = table[:, 0].tolist()
    found = {f"{of}_nan": bad / (count + bad)}
    if count:
        found.update({f"{of}_min": low, f"{of}_max": high})
        found.update({f"{of}_mean": mean, f"{of}_std": math.sqrt(square / count)})
    return found


_ONE_ROW = np.zeros(1, np.int64)


def _target_scalars(rows: Tensor, counts: Counter[int]) -> dict[str, float]:
    if not rows.numel():
        return {}
    if _is_integer(rows):
        return _label_scalars(rows.reshape(-1).numpy(), counts)
    found = _spread("target", rows)
    found = {name: found[name] for name in _TARGET if name in found}
    if "target_min" in found:
        found["target_constant"] = float(found["target_min"] == found["target_max"])
    return found


_TARGET = ("target_nan", "target_min", "target_max")


def _label_scalars(rows: NDArray[Any], counts: Counter[int]) -> dict[str, float]:
    low, high = int(rows.min()), int(rows.max())
    if low >= 0 and high < _MOST_CLASSES and rows.dtype.kind != "b":
        seen = np.bincount(rows)
        labels = np.flatnonzero(seen)
        seen = seen[labels]
    else:
        labels, seen = np.unique(rows, return_counts=True)
    if len(counts) <= _MOST_CLASSES:
        for label, number in zip(labels.tolist(), seen.tolist(), strict=True):
            counts[int(label)] += number
    return {
        "target_nan": 0.0,
        "target_min": float(low),
        "target_max": float(high),
        "target_constant": float(low == high),
        "target_classes": float(len(labels)),
    }


def _output_scalars(rows: Tensor) -> dict[str, float]:
    if not rows.numel():
        return {}
    narrow = rows.dtype in (torch.bfloat16, torch.float16)
    array = (rows.float() if narrow else rows).numpy()
    found = {"output_min": float(array.min()), "output_max": float(array.max())}
    if rows.dim() > 1 and rows.shape[-1] > 1:
        with np.errstate(over="ignore", invalid="ignore"):
            found["output_sum_error"] = float(np.abs(array.sum(axis=-1) - 1).mean())
    return {name: value for name, value in found.items() if math.isfinite(value)}


def _is_integer(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() and not tensor.is_complex()


def infer_task(batch: Batch) -> tuple[Task, str]:
    """The task, and how we know."""
    target, loss = batch.target, batch.loss
    if target is None or loss is None:
        return Task.UNKNOWN, "neither the loss function nor its targets could be seen"
    if loss in ("cross-entropy", "nll", "multi-margin"):
        return _classification(batch, loss)
    if loss.startswith("binary-cross-entropy"):
        several = target.dim() > 1 and target.shape[-1] > 1
        task = Task.MULTI_LABEL if several else Task.BINARY
        return task, f"the loss is {loss} on targets of shape {_shape(target)}"
    if loss in ("mse", "l1", "smooth-l1", "huber"):
        return Task.REGRESSION, f"the loss is {loss}"
    return Task.UNKNOWN, f"the loss is {loss}, which does not tell"


def _classification(batch: Batch, loss: str) -> tuple[Task, str]:
    if (
        batch.target is not None
        and batch.inputs
        and _is_one_per_token(batch.target, batch.inputs[0])
    ):
        return Task.LANGUAGE_MODEL, f"the loss is {loss} with one target for each input token"
    return Task.MULTI_CLASS, f"the loss is {loss}"


def _is_one_per_token(target: Tensor, tokens: Tensor) -> bool:
    """One target for each token, or for each but the last of a row, where both are shifted."""
    if not _is_integer(tokens) or tokens.dim() < 2:
        return False
    return target.numel() in (tokens.numel(), tokens.numel() - tokens.shape[0])


def _shape(tensor: Tensor) -> str:
    return "×".join(str(size) for size in tensor.shape) or "scalar"
