"""Whether a loss is a surrogate, whose value says nothing about progress.

A policy gradient minimises the logarithms of probabilities weighted by advantages: its gradient is
what matters, and its value is about zero however good the policy is. In the graph that is a sum of
what the model computes, times factors from outside that have both signs.

A contrastive loss asks which of the other samples belongs to each. Written by hand it is the mean
of the logarithms of sums of exponentials over a table of samples, and near the logarithm of their
number it says little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from paramedic.probe.comparison import operation
from paramedic.probe.graph import saved_tensor

_MOST = 400  # nodes that are looked at: an episode may have a term per step
_FACTORS = 64  # values of a factor that are read
# What adds, scales or picks: behind these a loss is still linear in the terms it sums up.
_LINEAR = (
    "Mean", "Sum", "Neg", "Add", "Sub", "Div", "Mul", "Cat", "Stack", "Squeeze", "Unsqueeze",
    "View", "Reshape", "UnsafeView", "Expand", "Minimum", "Maximum", "ToCopy", "Select", "Slice",
    "Clone", "Where",
)  # fmt: skip

# What leaves a mean over samples in the units of one sample.
_AVERAGING = ("Mean", "Neg", "Add", "Sub", "Div", "Squeeze", "Unsqueeze", "View")
_FEWEST_SAMPLES = 8  # in a batch: a table as wide as it is high may be one of classes else

POLICY_GRADIENT = (
    "the loss weights what the model computes by factors of both signs, as a policy gradient does: "
    "its value does not measure progress"
)


def candidates_of(roots: Sequence[Tensor]) -> int:
    """Among how many samples a contrastive loss written by hand looks for each one; 0 for others.

    Cross-entropies of torch, whose labels are seen, are recognised by these.
    """
    waiting = [root.grad_fn for root in roots if root.grad_fn is not None]
    seen: set[Any] = set()
    found: set[int] = set()
    is_mean = False
    while waiting and len(seen) < _MOST:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        name = operation(node)
        is_mean |= name == "Mean"
        if name == "Logsumexp":
            found.add(_width(node))
        elif name in _AVERAGING:
            waiting += [after for after, _ in node.next_functions if after is not None]
    return found.pop() if is_mean and len(found) == 1 else 0


def _width(node: Any) -> int:
    """How many scores are summed up for each sample; 0 if that is no multiple of their number."""
    scores = saved_tensor(node, "self")
    if scores is None or scores.dim() != 2:
        return 0
    rows, columns = scores.shape
    return columns if rows >= _FEWEST_SAMPLES and columns % rows == 0 else 0


def surrogate_of(roots: Sequence[Tensor]) -> str:
    """Why the loss does not measure progress; empty if nothing says so."""
    signs: set[bool] = set()
    waiting = [root.grad_fn for root in roots if root.grad_fn is not None]
    seen: set[Any] = set(waiting)
    while waiting and len(seen) < _MOST:
        node = waiting.pop()
        name = operation(node)
        if name not in _LINEAR:
            continue
        if name == "Mul":
            signs |= _signs(node)
        if len(signs) == 2:
            return POLICY_GRADIENT
        for after, _ in node.next_functions:
            if after is not None and after not in seen:
                seen.add(after)
                waiting.append(after)
    return ""


def _signs(node: Any) -> set[bool]:
    """Which signs the factor of a product has that comes from outside of the graph.

    Only of a product of one such factor with something the model computes; a factor that is a
    plain number scales a whole term of the loss and is not a weight of samples.
    """
    branches = [after for after, _ in node.next_functions]
    if len(branches) != 2 or (branches[0] is None) == (branches[1] is None):
        return set()
    factor = saved_tensor(node, "self" if branches[0] is None else "other")
    if factor is None or not factor.is_floating_point():
        return set()
    values = factor.reshape(-1)[:_FACTORS]
    return {bool(value > 0) for value in values.tolist() if value}
