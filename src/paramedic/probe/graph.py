"""Reading autograd's record of a forward pass: which operation first gave a non-finite value.

Between the forward and the backward pass the graph of the loss holds the tensors that each
operation saved. Walking it in the order of execution finds where a NaN was born after the fact,
so that nothing has to be kept on the many steps on which nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from paramedic.probe.forward import Call

# Which differentiable argument of an operation a saved tensor is; -1 the last one.
_ARGUMENTS = {
    "self": 0, "input": 0, "query": 0, "mat1": 1, "batch1": 1, "other": 1, "weight": 1,
    "key": 1, "value": 2, "mat2": -1, "batch2": -1,
}  # fmt: skip
_OUTPUTS = ("result", "output", "logsumexp")
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
    """Where a value stopped being finite: `input`, a `weight`, or an `operation`."""

    kind: str
    operation: str
    position: int  # of the operation in the order of execution
    parameter: Tensor | None = None


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


def find_birth(nodes: Sequence[Any]) -> Birth | None:
    """The first place, in the order of execution, where a non-finite value shows."""
    for position, node in enumerate(nodes):
        saved = _saved(node)
        bad = [name for name, value in saved.items() if not bool(torch.isfinite(value).all())]
        taken = next((name for name in bad if not name.startswith(_OUTPUTS)), None)
        if taken is None and bad and _operation(node) in _HARMLESS:
            taken = "self"
        if taken is not None:
            return _giver(node, taken, nodes, position)
        hazard = _HAZARDS.get(_operation(node))
        if bad or (hazard is not None and hazard(saved)):
            return Birth("operation", _operation(node), position)
    return None


def _giver(node: Any, argument: str, nodes: Sequence[Any], position: int) -> Birth:
    """Who gave `node` a non-finite argument."""
    edges = node.next_functions
    place = _ARGUMENTS.get(argument, 0)
    if not edges or place >= len(edges):
        return Birth("operation", _operation(node), position)
    giver = edges[place][0]
    while giver is not None and not hasattr(giver, "variable"):
        if not _operation(giver).startswith(_PASSES) or not giver.next_functions:
            return Birth("operation", _operation(giver), list(nodes).index(giver))
        giver = giver.next_functions[0][0]
    if giver is None:
        return Birth("input", _operation(node), position)
    return Birth("weight", _operation(node), position, giver.variable)


def _operation(node: Any) -> str:
    return type(node).__name__.rstrip("0123456789")


def _saved(node: Any) -> dict[str, Tensor]:
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
    return value.detach() if isinstance(value, Tensor) else None


def _any(value: Tensor | None, test: Callable[[Tensor], Tensor]) -> bool:
    return value is not None and bool(test(value).any())


class GraphMap:
    """Remembers which module ran which operation, learned on a step with forward hooks.

    On later steps, without hooks, the operations of the same graph get the same names.
    """

    def __init__(self) -> None:
        self._operations: list[str] = []
        self._owners: list[str | None] = []

    def learn(self, nodes: Sequence[Any], calls: Sequence[Call], names: dict[int, str]) -> None:
        """Take the innermost module around each operation from the calls of a forward pass."""
        positions = {node: position for position, node in enumerate(nodes)}
        spans = [span for call in calls if (span := _span(call, positions, names)) is not None]
        if not spans:  # somebody else's graph
            return
        self._operations = [_operation(node) for node in nodes]
        self._owners = [None] * len(nodes)
        for begin, end, name in sorted(spans, key=lambda span: span[0] - span[1]):
            self._owners[begin:end] = [name] * (end - begin)

    @property
    def is_empty(self) -> bool:
        return not self._operations

    def owner(self, nodes: Sequence[Any], position: int) -> str | None:
        """The module that ran the operation at `position`, if this graph is the one we know."""
        if [_operation(node) for node in nodes] != self._operations:
            return None
        return self._owners[position]

    def knows(self, nodes: Sequence[Any]) -> bool:
        """Whether this graph is the one that was learned."""
        return [_operation(node) for node in nodes] == self._operations


def _span(
    call: Call, positions: dict[Any, int], names: dict[int, str]
) -> tuple[int, int, str] | None:
    """The run of operations between the inputs and the output of one call."""
    name = names.get(id(call.module))
    if name is None or call.output is None or call.output.grad_fn not in positions:
        return None
    before = [positions[one.grad_fn] for one in call.inputs if one.grad_fn in positions]
    return max(before, default=-1) + 1, positions[call.output.grad_fn] + 1, name
