"""How good outputs are: the metric of a plan."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Measure:
    """A metric by its name, and which way is better."""

    name: str
    function: Callable[[Any, Tensor], float]
    higher_is_better: bool

    def __call__(self, output: Any, target: Tensor) -> float:
        return float(self.function(output, target))

    def better(self, one: float, other: float) -> bool:
        """Whether one value is better than another; anything is better than NaN."""
        if math.isnan(one):
            return False
        if math.isnan(other):
            return True
        return one > other if self.higher_is_better else one < other

    def gain(self, before: float, after: float) -> float:
        """By how much it got better; below 0 if it got worse, NaN if it was not measured."""
        return after - before if self.higher_is_better else before - after

    def noise(self, samples: int | None) -> float:
        """What a difference on so many samples may be by chance; 0 where that is not known."""
        return math.sqrt(0.25 / samples) if self.name == "accuracy" and samples else 0.0

    @property
    def worst(self) -> float:
        """A value that is worse than any other."""
        return -math.inf if self.higher_is_better else math.inf


def measure(metric: Any, loss: Callable[..., Any], higher_is_better: bool | None) -> Measure:
    """The metric that a plan asks for."""
    if metric == "loss":
        return Measure("loss", loss, bool(higher_is_better))
    better = higher_is_better is None or higher_is_better
    if metric == "accuracy":
        return Measure("accuracy", partial(accuracy, logits=takes_logits(loss)), better)
    return Measure(getattr(metric, "__name__", type(metric).__name__), metric, better)


def takes_logits(loss: Callable[..., Any]) -> bool:
    """Whether a loss on single values reads them as log-odds, with the border at zero."""
    name = getattr(loss, "__name__", type(loss).__name__).lower().replace("_", "")
    return any(word in name for word in ("logit", "softmargin", "hinge"))


def accuracy(output: Any, target: Tensor, *, logits: bool = False) -> float:
    """The share of samples that are right; an output that is not finite is wrong.

    Classes are told by the shapes: one column per class against labels or one-hot rows, else one
    value per target, which is compared with the middle between the two values of a target, or
    with zero if it is a logit; of more than two classes as numbers the nearest counts.
    """
    if isinstance(output, tuple | list):
        output = output[0]
    if not isinstance(output, Tensor) or target.numel() == 0:
        return math.nan
    output, target = output.detach(), target.detach()
    if output.dim() == 2 and target.dim() == 2 and target.shape[1] == 1 < output.shape[1]:
        target = target.squeeze(1)
    if output.shape == target.shape and _is_one_hot(target):
        return _right(output, target.argmax(-1), -1)
    if output.numel() == target.numel():
        return _of_values(output.flatten(), target.flatten(), logits)
    if output.dim() == target.dim() + 1 and output.shape[0] == target.shape[0]:
        return _right(output, target, -1 if output.shape[:-1] == target.shape else 1)
    return math.nan


def _right(output: Tensor, labels: Tensor, dim: int) -> float:
    """The largest column, against the label."""
    right = (output.argmax(dim) == labels) & torch.isfinite(output).all(dim)
    return float(right.float().mean())


def _is_one_hot(target: Tensor) -> bool:
    if target.dim() < 2 or target.shape[-1] < 2:
        return False
    values = target.float()
    return bool(((values == 0) | (values == 1)).all() and (values.sum(-1) == 1).all())


def _of_values(output: Tensor, target: Tensor, logits: bool) -> float:
    target = target.float()
    low, high = float(target.min()), float(target.max())
    if high - low >= 2 and low >= 0 and bool((target == target.round()).all()):
        return float((output.round() == target).float().mean())  # classes as numbers
    border = 0.0 if low < 0 else max(0.5, (low + high) / 2 if high > 1 else 0.0)
    right = (output > (0.0 if logits else border)) == (target > border)
    return float((right & torch.isfinite(output)).float().mean())
