"""Reading autograd's record of a forward pass: which operation first gave a non-finite value.

Between the forward and the backward pass the graph of the loss holds the tensors that each
operation saved. Walking it in the order of execution finds where a NaN was born after the fact,
so that nothing has to be kept on the many steps on which nothing happens.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from paramedic.probe.meter import any_nonfinite
from paramedic.probe.tensors import has_memory

# Which differentiable argument of an operation a saved tensor is; -1 the last one. What is not
# here may be a statistic or a result of another kind, and proves nothing.
_ARGUMENTS = {
    "self": 0, "input": 0, "query": 0, "mat1": 1, "batch1": 1, "other": 1, "weight": 1,
    "key": 1, "target": 1, "value": 2, "mat2": -1, "batch2": -1,
}  # fmt: skip
_OUTPUTS = ("result", "output", "logsumexp")
_OUTPUT = ("result", "output")  # the value of the operation itself
# Operations that make nothing non-finite of finite arguments: a bad result was a bad argument.
_HARMLESS = {
    "ReluBackward", "TanhBackward", "SigmoidBackward", "SoftmaxBackward", "LogSoftmaxBackward",
    "HardtanhBackward", "ThresholdBackward",
}  # fmt: skip
# Operations that hand their first argument on.
_PASSES = (
    "View", "Reshape", "UnsafeView", "Permute", "Transpose", "TBackward", "Expand", "Squeeze",
    "Unsqueeze", "Slice", "Select", "Clone", "Contiguous",
)  # fmt: skip
# Operations by which scores are masked: minus infinity is what is meant.
_MASKS = (
    "MaskedFill", "Where", "IndexPut", "CopySlices", "Scatter", "LogSoftmax", "Softmax",
    "Logsumexp",
)  # fmt: skip
# Operations whose result is not saved but follows from a saved argument.
_HAZARDS: dict[str, Callable[[dict[str, Tensor]], bool]] = {
    "LogBackward": lambda saved: _any(saved.get("self"), lambda x: x <= 0),
    "Log2Backward": lambda saved: _any(saved.get("self"), lambda x: x <= 0),
    "Log10Backward": lambda saved: _any(saved.get("self"), lambda x: x <= 0),
    "Log1PBackward": lambda saved: _any(saved.get("self"), lambda x: x <= -1),
    "DivBackward": lambda saved: _any(saved.get("other"), lambda x: x == 0),
}


@dataclass(frozen=True, slots=True)
class Birth:
    """Where a value stopped being finite: a `weight`, an `operation`, or `outside`: an argument
    that no operation of the graph computed. That is a batch, a number, or anything computed
    without gradients; `value` is that argument, and `argument` its name."""

    kind: str
    operation: str
    position: int  # of the operation in the order of execution
    parameter: Tensor | None = None
    argument: str = ""
    value: Tensor | None = field(default=None, compare=False)


def nearest_nodes(roots: Sequence[Tensor], most: int = 48) -> Iterator[Any]:
    """The operations nearest to the loss, breadth first."""
    queue = deque(root.grad_fn for root in roots if root.grad_fn is not None)
    seen: set[Any] = set()
    while queue and len(seen) < most:
        node = queue.popleft()
        if node in seen:
            continue
        seen.add(node)
        yield node
        queue.extend(after for after, _ in node.next_functions if after is not None)


def nodes_in_order(roots: Iterable[Tensor]) -> list[Any]:
    """The operations behind `roots`, in the order in which the forward pass ran them."""
    stack = [root.grad_fn for root in roots if root.grad_fn is not None]
    seen: set[Any] = set(stack)
    while stack:
        for node, _ in stack.pop().next_functions:
            if node is not None and node not in seen:
                seen.add(node)
                stack.append(node)
    return sorted(
        (node for node in seen if not hasattr(node, "variable")),
        key=lambda node: node._sequence_nr(),
    )


def leaf_tensors(roots: Iterable[Tensor]) -> Iterator[Tensor]:
    """The parameters that a loss depends on."""
    waiting = [root.grad_fn for root in roots if root.grad_fn is not None]
    seen: set[Any] = set(waiting)
    while waiting:
        node = waiting.pop()
        if hasattr(node, "variable"):
            yield node.variable
        for after, _ in node.next_functions:
            if after is not None and after not in seen:
                seen.add(after)
                waiting.append(after)


def find_birth(nodes: Sequence[Any]) -> Birth | None:
    """The first place, in the order of execution, where a non-finite value shows."""
    for position, node in enumerate(nodes):
        saved = saved_tensors(node)
        bad = [name for name, value in saved.items() if not is_finite(value)]
        taken = next((name for name in bad if name in _ARGUMENTS), None)
        given = [name for name in bad if name.startswith(_OUTPUTS)]
        if taken is None and given and operation_of(node) in _HARMLESS:
            taken = "self"
        if taken is not None:
            value = saved.get(taken, saved.get(given[0]) if given else None)
            birth = _giver(node, taken, nodes, position, value)
            if not _is_masked(node, birth, value):
                return birth
            continue
        hazard = _HAZARDS.get(operation_of(node))
        if given or (hazard is not None and hazard(saved)):
            return Birth("operation", operation_of(node), position)
    return None


def _giver(
    node: Any, argument: str, nodes: Sequence[Any], position: int, value: Tensor | None
) -> Birth:
    """What gave `node` a non-finite argument."""
    edges = node.next_functions
    place = _ARGUMENTS[argument]
    if argument == "target" and place >= len(edges):  # a loss whose target has no gradient
        return Birth("outside", operation_of(node), position, None, argument, value)
    if not edges or place >= len(edges):
        return Birth("operation", operation_of(node), position)
    giver = edges[place][0]
    while giver is not None and not hasattr(giver, "variable"):
        if not operation_of(giver).startswith(_PASSES) or not giver.next_functions:
            return Birth("operation", operation_of(giver), list(nodes).index(giver))
        giver = giver.next_functions[0][0]
    if giver is None:
        return Birth("outside", operation_of(node), position, None, argument, value)
    return Birth("weight", operation_of(node), position, giver.variable)


def _is_masked(node: Any, birth: Birth, value: Tensor | None) -> bool:
    """Whether a value is only minus infinity where it was masked."""
    operations = (operation_of(node), birth.operation)
    if value is None or not any(one.startswith(_MASKS) for one in operations):
        return False
    return not bool((value.isnan() | (value == math.inf)).any())


def unproven(roots: Iterable[Tensor], nodes: Sequence[Any]) -> list[Any]:
    """The operations between the roots and those whose result is known to be finite. If all that
    is saved in the graph is finite and the roots are not, it happened in one of these."""
    proven = set(_proven(nodes))
    queue = [root.grad_fn for root in roots if root.grad_fn is not None]
    found: dict[Any, None] = {}
    while queue:
        node = queue.pop()
        if node in found or node in proven or hasattr(node, "variable"):
            continue  # weights are not asked here: they are looked at before
        found[node] = None
        queue.extend(before for before, _ in node.next_functions if before is not None)
    return list(found)


def _proven(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        for name, value in saved_tensors(node).items():
            if not is_finite(value):
                continue
            if name in _OUTPUT:
                yield node
            place = _ARGUMENTS.get(name, len(node.next_functions))
            if place < len(node.next_functions):
                giver = node.next_functions[place][0]
                # Of an operation with several results only one is known.
                if giver is not None and len(getattr(giver, "_input_metadata", (0,))) == 1:
                    yield giver


def operation_of(node: Any) -> str:
    """The name of an operation, without the number of its variant."""
    return type(node).__name__.rstrip("0123456789")


def saved_tensors(node: Any) -> dict[str, Tensor]:
    """The floating tensors that an operation saved, by the name of the argument."""
    names = [name.removeprefix("_raw_saved_") for name in dir(node) if name.startswith("_raw_")]
    found: dict[str, Tensor] = {}
    for name in names:
        value = saved_tensor(node, name)
        if value is not None and value.is_floating_point():
            found[name] = value
    return found


def saved_tensor(node: Any, name: str) -> Tensor | None:
    """A tensor saved by `node`, unless reading it would run somebody's code.

    A saved tensor with hooks is one that was moved away or will be computed again (activation
    checkpointing): unpacking it is not ours to trigger.
    """
    raw = getattr(node, f"_raw_saved_{name}", None)
    if raw is None or isinstance(raw, tuple) or raw.unpack_hook is not None:
        return None
    value = getattr(node, f"_saved_{name}")
    return value.detach() if isinstance(value, Tensor) and has_memory(value) else None


def _any(value: Tensor | None, test: Callable[[Tensor], Tensor]) -> bool:
    strided = value is not None and value.layout is torch.strided
    return strided and bool(test(value).any())  # type: ignore[arg-type]


def is_finite(tensor: Tensor) -> bool:
    """Whether a tensor, dense or sparse, has no NaN and no infinity; True if it has no numbers."""
    if not (tensor.is_floating_point() or tensor.is_complex()) or tensor.is_meta:
        return True
    return not any_nonfinite(tensor)
