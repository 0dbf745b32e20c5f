"""What goes in and what is asked for: statistics of inputs, outputs and targets, and the task.

The loss function and its targets are found in autograd's record of the loss, so they are seen
whether the loss was computed by a module or by a function.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.probe.forward import Call
from paramedic.probe.graph import saved_tensor
from paramedic.types import Task

_SAMPLE_ROWS = 512  # of a batch that are read
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


def batch_scalars(batch: Batch) -> dict[str, float]:
    """The statistics of one batch, for the scalars of a frame."""
    found: dict[str, float] = {}
    if batch.inputs:
        found.update(_input_scalars(batch.inputs[0]))
    if batch.target is not None and batch.target.numel():
        found.update(_target_scalars(_rows(batch.target)))
    if batch.output is not None and batch.output.is_floating_point() and batch.output.numel():
        found.update(_output_scalars(_rows(batch.output)))
    return found


def _rows(tensor: Tensor) -> Tensor:
    return tensor.detach()[:_SAMPLE_ROWS] if tensor.dim() else tensor.detach().reshape(1)


def _input_scalars(tensor: Tensor) -> dict[str, float]:
    values = _rows(tensor)
    if values.is_complex() or not values.numel():
        return {"batch_size": float(_batch_size(tensor))}
    numbers = values.float()
    finite = torch.isfinite(numbers)
    found = {"batch_size": float(_batch_size(tensor)), "input_nan": 1.0 - _mean(finite)}
    if len(numbers) > 1 and numbers.dim() > 1:
        found["input_constant"] = _mean((numbers == numbers[:1]).all(dim=0))
    kept = numbers[finite] if found["input_nan"] else numbers
    if kept.numel():
        low, high = torch.aminmax(kept)
        std, mean = torch.std_mean(kept, correction=0)
        named = {"input_min": low, "input_max": high, "input_mean": mean, "input_std": std}
        found.update({name: float(value) for name, value in named.items()})
    return found


def _target_scalars(values: Tensor) -> dict[str, float]:
    numbers = values.double()
    finite = torch.isfinite(numbers)
    found = {"target_nan": 1.0 - _mean(finite)}
    kept = numbers[finite]
    if kept.numel():
        low, high = (float(bound) for bound in torch.aminmax(kept))
        found.update(target_min=low, target_max=high, target_constant=float(low == high))
    if _is_integer(values):
        found["target_classes"] = float(len(torch.unique(values)))
    return found


def _output_scalars(values: Tensor) -> dict[str, float]:
    low, high = (float(bound) for bound in torch.aminmax(values))
    found = {"output_min": low, "output_max": high}
    if values.dim() > 1 and values.shape[-1] > 1:
        found["output_sum_error"] = float((values.float().sum(dim=-1) - 1).abs().mean())
    return {name: value for name, value in found.items() if value == value}


def _batch_size(tensor: Tensor) -> int:
    return tensor.shape[0] if tensor.dim() else 1


def _mean(flags: Tensor) -> float:
    return float(flags.float().mean())


def _is_integer(values: Tensor) -> bool:
    return not values.is_floating_point() and not values.is_complex()


def count_labels(batch: Batch, counts: Counter[int]) -> None:
    """Add the integer labels of this batch to `counts`, up to a number of distinct ones."""
    target = batch.target
    if target is None or not _is_integer(target) or len(counts) > _MOST_CLASSES:
        return
    labels, found = torch.unique(target.detach(), return_counts=True)
    counts.update(dict(zip(labels.tolist(), found.tolist(), strict=True)))


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
    tokens = bool(batch.inputs) and _is_integer(batch.inputs[0])
    per_token = tokens and batch.target is not None and batch.inputs[0].dim() > 1
    if per_token and batch.target is not None and batch.target.numel() == batch.inputs[0].numel():
        return Task.LANGUAGE_MODEL, f"the loss is {loss} with one target for each input token"
    return Task.MULTI_CLASS, f"the loss is {loss}"


def _shape(tensor: Tensor) -> str:
    return "×".join(str(size) for size in tensor.shape) or "scalar"
