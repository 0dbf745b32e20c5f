"""What goes in and what is asked for: statistics of inputs, outputs and targets, and the task.

The loss function and its targets are found in autograd's record of the loss, so they are seen
whether the loss was computed by a module or by a function.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from paramedic.probe import native
from paramedic.probe.call import Call
from paramedic.probe.chunks import row_moments
from paramedic.probe.comparison import Comparison, compare, compares_all, operation
from paramedic.probe.copying import copied
from paramedic.probe.fit import Term, is_weighted, term_of
from paramedic.probe.glimpse import mark_of
from paramedic.probe.graph import nearest_nodes, saved_tensor
from paramedic.probe.labels import Labels

_SAMPLE_ROWS = 512  # of a batch that are read
_FEW_ROWS = 64  # of a batch that are compared to find constant features

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
_HAND_WRITTEN: dict[tuple[str, ...], str] = {
    (outer, inner, "Sub"): loss
    for outer in ("Mean", "Sum")
    for inner, loss in (("Pow", "mse"), ("Abs", "l1"))
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


_LONGEST_CHAIN = 6  # operations between a loss written by hand and its difference
_DENSITY = ("Div", "Neg", "Pow", "Sub")  # in `log_prob` of a normal distribution, from its end
_MEAN = 1  # the code of `reduction="mean"` in autograd's record
_TOLD = ("cross-entropy", "nll", "mse")  # whose constant answer is told by `batch_scalars`
_KNOWN = {*_LOSS_MODULES.values(), *_LOSS_NODES.values()}


@dataclass(slots=True)
class Batch:
    """The tensors of one training batch, as far as they could be seen."""

    inputs: list[Tensor] = field(default_factory=list)
    output: Tensor | None = None
    output_node: Any = None  # the autograd node that made it
    loss: str | None = None
    target: Tensor | None = None
    prediction: Tensor | None = None  # what the loss compares with the target
    node: Any = None  # the autograd node that made the prediction, if the graph was read
    error: Tensor | None = None  # the difference of a loss written by hand
    difference: Any = None  # the node of `prediction - target` in a loss written by hand
    is_mean: bool = False  # what is minimised is the mean of this loss alone
    size: int | None = None  # samples, where inputs may be only the first of them
    shapes: tuple[tuple[int, ...], ...] = ()  # of the prediction and the target, as written
    term: Term | None = None  # the part of the loss that compares with targets


def find_batch(
    calls: Sequence[Call], roots: Sequence[Tensor], models: set[int], loss_fn: Any = None
) -> Batch:
    """Put together what the forward hooks and the graph of the loss tell about the batch."""
    batch = Batch()
    for call in calls:
        if call.key in models:
            _take_model(batch, call, roots)
        elif len(call.inputs) > 1 and (
            call.is_loss or (call.key == id(loss_fn) and batch.loss is None)
        ):
            # A loss of the user's own may wrap one of torch's, which says more.
            _take_loss(batch, call, roots)
    if batch.target is None or batch.loss not in _KNOWN:
        _look_inside(batch, roots)
    batch.is_mean = _is_mean(roots) or any(_is_seen_mean(call, roots) for call in calls)
    batch.term = _term(batch, roots)
    return batch


def _term(batch: Batch, roots: Sequence[Tensor]) -> Term | None:
    """What a constant answer is compared with, unless frequencies and moments of targets tell."""
    if not batch.is_mean:
        return term_of(roots)
    if batch.loss != "l1":
        return None if batch.loss in _TOLD else term_of(roots)
    if batch.prediction is not None and batch.target is not None:
        return Term("l1", batch.prediction, batch.target)
    targets = _implied_targets(batch)
    if targets is None or batch.output is None:
        return None
    return Term("l1", _rows(batch.output), targets)


def _take_model(batch: Batch, call: Call, roots: Sequence[Tensor]) -> None:
    found = [one.tensor() for one in call.inputs]
    batch.inputs = [one for one in found if one is not None]
    if call.output is not None:
        alive, batch.output = call.output.alive(), call.output.tensor()
        batch.output_node = node_at(roots, call.output.mark) if alive is None else alive.grad_fn
    shape = call.inputs[0].shape if call.inputs else ()
    batch.size = shape[0] if shape else None


def _take_loss(batch: Batch, call: Call, roots: Sequence[Tensor]) -> None:
    batch.loss = _LOSS_MODULES.get(call.kind, call.kind)
    seen = call.inputs[:2]
    batch.prediction, batch.target = (one.tensor() for one in seen)
    batch.shapes = tuple(one.shape for one in seen)
    if seen[0].alive() is None:
        batch.node = node_at(roots, seen[0].mark)


def node_at(roots: Sequence[Tensor], mark: int | None) -> Any:
    """The operation near the loss that is known by a mark."""
    if mark is None:
        return None
    return next((node for node in nearest_nodes(roots) if mark_of(node) == mark), None)


def _is_seen_mean(call: Call, roots: Sequence[Tensor]) -> bool:
    """Whether a loss that was reported as a mean is all that is minimised."""
    if not call.is_mean or len(roots) != 1 or call.output is None:
        return False
    value = call.output.tensor()
    return value is not None and value.numel() == roots[0].numel() == 1 and bool(value == roots[0])


def _is_mean(roots: Sequence[Tensor]) -> bool:
    """Whether the loss is the plain mean of one of torch's losses, or of a difference by hand."""
    node = _without_factors(roots)
    if node is None or is_weighted(node):
        return False
    name = type(node).__name__.rstrip("0123456789")
    return (
        getattr(node, "_saved_reduction", 0) == _MEAN
        if name in _LOSS_NODES
        else name == "MeanBackward"
    )


def _without_factors(roots: Sequence[Tensor]) -> Any:
    """The node behind a loss that was divided by the number of accumulated batches."""
    node = roots[0].grad_fn if len(roots) == 1 else None
    while node is not None and operation(node) in ("Div", "Mul", "Squeeze"):
        node = node.next_functions[0][0] if node.next_functions else None
    return node


def _look_inside(batch: Batch, roots: Sequence[Tensor]) -> None:
    """What the graph tells of a loss that was not seen, or that is somebody's own module."""
    inner = Batch()
    _read_graph(inner, roots)
    if inner.loss is None:
        return
    batch.loss, batch.node = inner.loss, inner.node
    batch.difference = inner.difference
    batch.error = None if batch.output is None else inner.error
    if inner.target is not None:
        batch.target, batch.prediction = inner.target, inner.prediction


def sides_of(batch: Batch) -> Comparison:
    """What the loss compares, as the user wrote it."""
    found = compare(batch.prediction, batch.target, batch.node, batch.loss or "")
    if not batch.shapes or batch.prediction is None:
        return found
    written, asked = batch.shapes
    if found.output_shape == tuple(batch.prediction.shape):  # else it was expanded
        found = found._replace(output_shape=written)
    return found._replace(target_shape=asked)


def loss_name(loss_fn: Any) -> str:
    """How a loss function is called: one of our names for torch's own, else its own name."""
    if isinstance(loss_fn, nn.Module):
        kind = type(loss_fn).__name__
        return _LOSS_MODULES.get(kind, kind)
    name = str(getattr(loss_fn, "__name__", type(loss_fn).__name__))
    return _LOSS_FUNCTIONS.get(name, name)


def _read_graph(batch: Batch, roots: Sequence[Tensor]) -> None:
    for node in nearest_nodes(roots):
        name = type(node).__name__.rstrip("0123456789")
        if name == "MulBackward" and _reads_log_softmax(node):
            # Cross-entropy with probabilities for targets is not an operation of its own.
            batch.loss, batch.target = "cross-entropy", saved_tensor(node, "other")
            batch.node = node.next_functions[0][0]
            return
        if name not in _LOSS_NODES:
            continue
        batch.loss = _LOSS_NODES[name]
        batch.target, batch.prediction = saved_tensor(node, "target"), saved_tensor(node, "self")
        batch.node = node.next_functions[0][0] if node.next_functions else None
        if batch.loss == "nll" and "LogSoftmax" in type(batch.node).__name__:
            batch.loss = "cross-entropy"
        return
    if batch.loss is None:
        _read_difference(batch, roots)
    if batch.loss is None:
        _read_density(batch, roots)


def _reads_log_softmax(node: Any) -> bool:
    before = node.next_functions[0][0] if node.next_functions else None
    return before is not None and operation(before) == "LogSoftmax"


def _read_difference(batch: Batch, roots: Sequence[Tensor]) -> None:
    """A loss written by hand: the mean (or sum) of a power or of the size of a difference."""
    chain = _without_factors(roots)
    names: list[str] = []
    above = None  # the node that reads the difference
    while chain is not None and len(names) < _LONGEST_CHAIN:
        names.append(operation(chain))
        if names[-1] == "Sub":
            break
        above = chain
        chain = chain.next_functions[0][0] if chain.next_functions else None
    loss = _HAND_WRITTEN.get(tuple(names))
    if loss is None and names[1:2] == ["Where"] and names[-1] == "Sub":
        loss = "huber"
    if loss is not None and chain is not None:
        batch.loss, batch.difference = loss, chain
        batch.node = next((one for one, _ in chain.next_functions if one is not None), None)
        batch.error = None if above is None else saved_tensor(above, "self")


def _read_density(batch: Batch, roots: Sequence[Tensor]) -> None:
    """The density of a normal distribution, where it holds each sample against all targets; else
    it says no more than is known already."""
    for node in nearest_nodes(roots):
        chain = [node]
        while len(chain) < len(_DENSITY) and chain[-1].next_functions:
            if (after := chain[-1].next_functions[0][0]) is None:
                break
            chain.append(after)
        if tuple(map(operation, chain)) != _DENSITY:
            continue
        error = saved_tensor(chain[-2], "self")
        if compares_all(chain[-1], error):
            batch.loss, batch.difference, batch.error = "gaussian-nll", chain[-1], error
            batch.node = next(one for one, _ in chain[-1].next_functions if one is not None)
            return


def batch_scalars(batch: Batch, labels: Labels) -> dict[str, float]:
    """The statistics of one batch, for the scalars of a frame; counts integer labels."""
    found: dict[str, float] = {}
    if batch.inputs:
        tensor = batch.inputs[0]
        found["batch_size"] = float(batch.size or (tensor.shape[0] if tensor.dim() else 1))
        found.update(_input_scalars(_rows(tensor)))
    if batch.target is not None:
        found.update(_target_scalars(_rows(batch.target), labels))
        found.update(copied(batch.inputs[0], batch.target) if batch.inputs else {})
    if batch.output is not None and batch.output.is_floating_point():
        found.update(_output_scalars(_rows(batch.output)))
    if batch.target is None and batch.error is not None and batch.loss == "mse":
        found.update(_implied_scalars(batch))
    return found


def _implied_scalars(batch: Batch) -> dict[str, float]:
    """Mean and spread of the targets of a squared difference written by hand."""
    targets = _implied_targets(batch)
    if targets is None:
        return {}
    return {"implied_mean": float(targets.mean()), "implied_std": float(targets.std(correction=0))}


def _implied_targets(batch: Batch) -> Tensor | None:
    """What the output and a difference written by hand leave; None if they do not tell."""
    error = batch.error
    if error is None or batch.output is None or error.shape != batch.output.shape:
        return None
    sign = 1.0 if batch.difference.next_functions[0][0] is not None else -1.0
    targets = _rows(batch.output).double() - sign * _rows(error).double()
    return targets if targets.numel() and bool(torch.isfinite(targets).all()) else None


def _rows(tensor: Tensor) -> Tensor:
    """The first samples of a batch, on the host, as real numbers; none of a sparse tensor."""
    rows = tensor.detach() if tensor.layout is torch.strided else torch.empty(0)
    rows = rows[:_SAMPLE_ROWS] if rows.dim() else rows.reshape(1)
    return rows.cpu().abs() if rows.is_complex() else rows.cpu()


def _spread(rows: Tensor) -> list[float]:
    """Count, non-finite values, mean, variance, smallest, largest, constant features."""
    numbers = rows if rows.dtype is torch.float32 else rows.float()
    if native.kernel is not None and native.is_dense(numbers):
        return native.kernel.input(numbers, _FEW_ROWS)
    few = numbers[:_FEW_ROWS]
    constant = float((few == few[:1]).all(dim=0).sum())
    moments = row_moments(numbers.reshape(-1).numpy())
    variance = moments.m2 / np.maximum(moments.count, 1.0)
    fields = (moments.count, moments.bad, moments.mean, variance, moments.low, moments.high)
    return [*(float(field[0]) for field in fields), constant]


def _input_scalars(rows: Tensor) -> dict[str, float]:
    if not rows.numel():
        return {}
    count, bad, mean, variance, low, high, constant = _spread(rows)
    found = {"input_nan": bad / (count + bad)}
    if len(rows) > 1 and rows.dim() > 1:
        found["input_constant"] = constant / (rows.numel() // len(rows))
    if count:
        found.update(input_min=low, input_max=high, input_mean=mean, input_std=math.sqrt(variance))
    return found


def _target_scalars(rows: Tensor, labels: Labels) -> dict[str, float]:
    if not rows.numel():
        return {}
    if is_integer(rows):
        low, high, distinct = labels.count(rows)
        known: dict[str, float] = {"target_nan": 0.0, "target_classes": float(distinct)}
        known["label_entropy"] = labels.entropy()
        known["label_majority"] = labels.majority
    else:
        count, bad, mean, variance, low, high, _ = _spread(rows)
        known = {"target_nan": bad / (count + bad)}
        if not count:
            return known
        known.update(target_mean=mean, target_std=math.sqrt(variance))
        known.update(_whole(rows))
    return {**known, "target_min": low, "target_max": high, "target_constant": float(low == high)}


def _whole(rows: Tensor) -> dict[str, float]:
    """Whether real targets are whole numbers, and how many different ones: labels in disguise."""
    few = rows.reshape(-1)[:_SAMPLE_ROWS]
    if not bool((few == few.round()).all()):
        return {"target_whole": 0.0}
    return {"target_whole": 1.0, "target_classes": float(len(torch.unique(few)))}


def _output_scalars(rows: Tensor) -> dict[str, float]:
    if not rows.numel():
        return {}
    numbers = rows if rows.dtype is torch.float32 else rows.float()
    if native.kernel is not None and native.is_native(numbers) and rows.dim():
        low, high, error = native.kernel.output(numbers)
    else:
        array = numbers.numpy()
        low, high = float(array.min()), float(array.max())
        with np.errstate(over="ignore", invalid="ignore"):
            error = float(np.abs(array.sum(axis=-1, dtype=np.float64) - 1).mean())
    found = {"output_min": low, "output_max": high}
    if rows.dim() > 1 and rows.shape[-1] > 1:
        found["output_sum_error"] = error
    return {name: value for name, value in found.items() if math.isfinite(value)}


def is_integer(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() and not tensor.is_complex()
