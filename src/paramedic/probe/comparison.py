"""What a loss compares: the function behind the output, and the shapes as the user wrote them.

Read from autograd's record. `F.mse_loss` and its kin expand both sides before they compare, so by
the time the tensors are seen a `[N, 1]` against `[N]` looks like `[N, N]` against `[N, N]`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from paramedic.probe.glimpse import unexpanded

# Between the output function and the loss these change shape or type, not values.
_PASSES = (
    "View", "Reshape", "UnsafeView", "Permute", "Transpose", "T", "Squeeze", "Unsqueeze",
    "ToCopy", "Expand", "Clone", "Select", "Slice", "Alias", "AsStrided",
)  # fmt: skip
_NAMES = {
    "softmax": "softmax",
    "logsoftmax": "log-softmax",
    "sigmoid": "sigmoid",
    "logsigmoid": "log-sigmoid",
    "relu": "relu",
    "tanh": "tanh",
    "softplus": "softplus",
    "addmm": "linear",
    "mm": "linear",
    "linear": "linear",
    "convolution": "convolution",
}
_FEWEST = 8  # samples of a batch: a smaller table may be of something else
_ROWS = 64  # of a difference that are read
_ROUNDED = 64  # rounding errors that sums may differ by
_INSIDE = {"cross-entropy": "logsoftmax"}  # what the loss itself adds to the graph


class Comparison(NamedTuple):
    """What is known of the two sides of a loss; the names are those of the chart."""

    output_function: str | None
    output_shape: tuple[int, ...]
    target_shape: tuple[int, ...]


def compare(prediction: Tensor | None, target: Tensor | None, node: Any, loss: str) -> Comparison:
    """Describe both sides; `node` is the autograd node that made the prediction, if known."""
    start = prediction.grad_fn if node is None and prediction is not None else node
    return Comparison(
        _function(start, loss),
        _shape_before_expanding(start, prediction),
        () if target is None else unexpanded(target),
    )


def compare_difference(node: Any, difference: Any, error: Tensor | None = None) -> Comparison:
    """Describe the sides of a difference written by hand; its target is only seen by the shape
    that the difference has, and by its values, `error`."""
    function = _function(node, "")
    shape = _shape_before_expanding(node, None) or _shape_of(node) or ()
    asked = _shape_of(difference) or ()
    is_column = shape == (*asked[:1], 1) and compares_all(difference, error)
    return Comparison(function, shape, asked[1:] if is_column else asked)


def compares_all(difference: Any, error: Tensor | None) -> bool:
    """Whether a difference holds each sample of a batch against the targets of all: a column of
    outputs less a row of targets, or outputs less targets with an axis too many.

    Only one side is computed by the model (else samples are compared with each other on purpose),
    and whatever the sample is, the difference of two targets is the same.
    """
    sides = [one for one, _ in difference.next_functions if one is not None]
    if error is None or len(sides) != 1 or error.layout is not torch.strided:
        return False
    shape = _shape_before_expanding(sides[0], None) or _shape_of(sides[0])
    size = len(error) if error.dim() else 0
    if size < _FEWEST or tuple(error.shape[:2]) != (size, size):
        return False
    if shape == (size, 1):
        table = error.detach()[:_ROWS, :_ROWS].double()  # samples, then targets
    elif shape == tuple(error.shape[1:]):
        table = error.detach()[:_ROWS, :_ROWS].double().transpose(0, 1)
    else:
        return False
    targets = table - table[:, :1]
    rounding = _ROUNDED * torch.finfo(error.dtype).eps * float(table.abs().max())
    apart = float((targets - targets[:1]).abs().max())
    return apart <= rounding < float(targets.abs().max())


def operation(node: Any) -> str:
    """The name of an autograd node without its decoration: `SoftmaxBackward0` is `Softmax`."""
    return type(node).__name__.rstrip("0123456789").removesuffix("Backward")


def _function(node: Any, loss: str) -> str | None:
    inside = _INSIDE.get(loss)
    for _ in range(8):
        if node is None:
            return None
        name = operation(node)
        plain = name.lower().lstrip("_")
        if plain.startswith("clamp"):  # a sigmoid is often clamped, to keep log(0) away
            behind = _function(_before(node), "")
            return behind if behind in ("sigmoid", "softmax") else "clamp"
        if plain != inside and name not in _PASSES:
            return _NAMES.get(plain, plain)
        inside = None if plain == inside else inside
        node = _before(node)
    return None


def _before(node: Any) -> Any:
    return node.next_functions[0][0] if node.next_functions else None


def _shape_before_expanding(node: Any, prediction: Tensor | None) -> tuple[int, ...]:
    while node is not None and operation(node) == "Expand":
        node = _before(node)
        shape = _shape_of(node)
        if shape is not None:
            return shape
    return () if prediction is None else tuple(prediction.shape)


def _shape_of(node: Any) -> tuple[int, ...] | None:
    """The shape of what a node computed."""
    if node is None:
        return None
    if hasattr(node, "variable"):
        return tuple(node.variable.shape)
    metadata = getattr(node, "_input_metadata", None)
    return tuple(int(size) for size in metadata[0].shape) if metadata else None


def kind_of(tensor: Tensor | None) -> str | None:
    """Whether a tensor holds integers or real numbers."""
    if tensor is None:
        return None
    return "float" if tensor.is_floating_point() or tensor.is_complex() else "integer"
