"""How good a model is, from 1 (perfect) through 0 (a guess) downwards, whatever its loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def classes(output: Tensor, target: Tensor) -> float:
    """The share of right answers."""
    return (output.argmax(-1) == target).float().mean().item()


def classes_one_hot(output: Tensor, target: Tensor) -> float:
    return classes(output, target.argmax(-1))


def class_numbers(output: Tensor, target: Tensor) -> float:
    """The share of right answers of a model that gives the class as a number."""
    return (output.flatten().round() == target.flatten()).float().mean().item()


def logits(output: Tensor, target: Tensor) -> float:
    """The share of right yes-or-no answers, yes being above zero."""
    return ((output > 0) == (target > 0.5)).float().mean().item()


def probabilities(output: Tensor, target: Tensor) -> float:
    """The share of right yes-or-no answers, yes being above one half."""
    return ((output > 0.5) == (target > 0.5)).float().mean().item()


def regression(output: Tensor, target: Tensor) -> float:
    """The share of the variance that is explained."""
    error = (output.reshape(target.shape) - target).square().mean()
    return (1 - error / target.var()).item()


def language(output: Tensor, target: Tensor) -> float:
    """The share of the uncertainty about the next symbol that is gone."""
    loss = F.cross_entropy(output.flatten(0, 1), target.flatten()).item()
    return 1 - loss / math.log(output.shape[-1])


def none(output: Any, target: Tensor) -> float:
    """For models that are not right or wrong."""
    return math.nan


SCORES: dict[str, Callable[[Any, Tensor], float]] = {
    "classes": classes,
    "classes-one-hot": classes_one_hot,
    "class-numbers": class_numbers,
    "logits": logits,
    "probabilities": probabilities,
    "regression": regression,
    "language": language,
    "none": none,
}
ACCURACIES = frozenset({"classes", "classes-one-hot", "class-numbers", "logits", "probabilities"})


def score(kind: str, output: Any, target: Tensor) -> float:
    """The score of that kind; never an error, since sick models give sick outputs."""
    with torch.no_grad():
        return SCORES[kind](output, target)
