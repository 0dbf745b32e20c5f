"""Whether a model is a linear function of its inputs, by autograd's record of a forward pass.

Somebody who forgot the activation functions has a net of any depth that can draw straight lines
only. Functions that are called and no modules are seen here as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# What hands values on, moves, adds or averages them, by the beginning of the node's name.
_LINEAR = (
    "Add", "Sub", "Neg", "Sum", "Mean", "Cumsum", "View", "Reshape", "UnsafeView", "Permute",
    "Transpose", "TBackward", "Expand", "Squeeze", "Unsqueeze", "Slice", "Select", "Clone",
    "Contiguous", "Cat", "Stack", "Split", "Chunk", "Unbind", "Index", "Gather", "Repeat", "Alias",
    "AsStrided", "ConstantPad", "Flip", "Roll", "ToCopy", "AvgPool", "AdaptiveAvgPool",
    "MkldnnAdaptiveAvgPool", "NativeDropout", "Embedding", "NativeBatchNorm", "AccumulateGrad",
)  # fmt: skip
# What multiplies two things: linear as long as one of them is a mere parameter.
_PRODUCTS = (
    "Mul", "Div", "Mm", "Mv", "Addmm", "Addmv", "Bmm", "Baddbmm", "Matmul", "Linear",
    "Convolution", "MkldnnConvolution",
)  # fmt: skip
# What may come after the last layer: the line between two classes stays straight.
_OUTPUTS = ("Sigmoid", "Softmax", "LogSoftmax", "LogSigmoid")
_MOST = 10_000  # operations: no use in walking a graph for seconds


def is_straight(node: Any) -> bool | None:
    """Whether neither `node` nor any operation before it bends anything; None without a node."""
    while node is not None and _name(node).startswith(_OUTPUTS):
        node = node.next_functions[0][0]
    if node is None:
        return None
    for count, one in enumerate(_behind(node)):
        if count > _MOST:
            return None
        if not _name(one).startswith(_LINEAR) and not _is_weighing(one):
            return False
    return True


def _behind(node: Any) -> Iterator[Any]:
    stack, seen = [node], {node}
    while stack:
        yield (one := stack.pop())
        for giver, _ in one.next_functions:
            if giver is not None and giver not in seen:
                seen.add(giver)
                stack.append(giver)


def _is_weighing(node: Any) -> bool:
    """Whether it multiplies values with parameters, and not with other values."""
    if not _name(node).startswith(_PRODUCTS):
        return False
    return sum(not _is_parameter(giver) for giver, _ in node.next_functions if giver) <= 1


def _is_parameter(node: Any) -> bool:
    """Whether it is a parameter, perhaps in another shape."""
    while node is not None and not hasattr(node, "variable"):
        if len(node.next_functions) != 1 or not _name(node).startswith(_LINEAR):
            return False
        node = node.next_functions[0][0]
    return node is not None


def _name(node: Any) -> str:
    return type(node).__name__
