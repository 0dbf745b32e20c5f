"""What a loss compares: which kind it is, what it expects, and what it would say of a guess."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.checkup.batch import Batch
from paramedic.checkup.calling import prediction_in
from paramedic.checkup.check import Skip
from paramedic.checkup.nest import flatten, rebuild
from paramedic.checkup.patient import Patient


class Kind(StrEnum):
    """The losses whose demands are known."""

    CROSS_ENTROPY = "cross-entropy"
    LOG_LIKELIHOOD = "negative log-likelihood"
    BINARY_LOGITS = "binary cross-entropy with logits"
    BINARY = "binary cross-entropy"
    SQUARED = "mean squared error"
    ABSOLUTE = "mean absolute error"


_SHORT = (torch.float16, torch.bfloat16)  # losses are computed in longer numbers under autocast
REGRESSION = (Kind.SQUARED, Kind.ABSOLUTE)
CLASSES = (Kind.CROSS_ENTROPY, Kind.LOG_LIKELIHOOD)

_MODULES: dict[type[nn.Module], Kind] = {
    nn.CrossEntropyLoss: Kind.CROSS_ENTROPY,
    nn.NLLLoss: Kind.LOG_LIKELIHOOD,
    nn.BCEWithLogitsLoss: Kind.BINARY_LOGITS,
    nn.MultiLabelSoftMarginLoss: Kind.BINARY_LOGITS,
    nn.BCELoss: Kind.BINARY,
    nn.MSELoss: Kind.SQUARED,
    nn.L1Loss: Kind.ABSOLUTE,
    nn.SmoothL1Loss: Kind.ABSOLUTE,
    nn.HuberLoss: Kind.ABSOLUTE,
}
_FUNCTIONS: dict[Any, Kind] = {
    F.cross_entropy: Kind.CROSS_ENTROPY,
    F.nll_loss: Kind.LOG_LIKELIHOOD,
    F.binary_cross_entropy_with_logits: Kind.BINARY_LOGITS,
    F.binary_cross_entropy: Kind.BINARY,
    F.mse_loss: Kind.SQUARED,
    F.l1_loss: Kind.ABSOLUTE,
    F.smooth_l1_loss: Kind.ABSOLUTE,
    F.huber_loss: Kind.ABSOLUTE,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The two sides of a loss; `score` gives the loss of another prediction in place of ours.

    `value` is NaN when the loss cannot be computed.
    """

    kind: Kind | None
    prediction: Tensor
    target: Tensor
    value: float
    score: Callable[[Tensor], float]
    last_axis: bool  # the classes are along the last axis, else along the second
    ignored: int = -100

    def rows(self) -> tuple[Tensor, Tensor] | None:
        """`[cases, classes]` and their labels, for targets that are class numbers."""
        return rows(self.prediction, self.target, last_axis=self.last_axis)

    @property
    def has_probabilities(self) -> bool:
        """The targets of a cross-entropy are shares of the classes instead of their numbers."""
        return self.target.is_floating_point() and self.target.shape == self.prediction.shape


def comparison_of(patient: Patient, batch: Batch | None = None) -> Comparison:
    """What the loss compares on a batch; `Skip` without targets or predictions."""
    chosen = batch or patient.batch
    target = chosen.target
    if target is None:
        raise Skip("the batch has no targets")
    with torch.no_grad():
        output = patient.output(chosen, training=True)
    prediction = prediction_in(output)
    if prediction is None:
        raise Skip("the model gives no tensor of real numbers")
    calling = patient.calling
    value = _value(patient, output, chosen)
    kind = named_kind(patient.loss_fn)
    last = calling.loss_way is not None and "flatten" in calling.loss_way.words
    if kind is None:
        kind, last = _recognised(prediction, target, value)

    def score(other: Tensor) -> float:
        if calling.loss_way is not None:
            swapped = _swapped(output, prediction, other)
            with torch.no_grad():
                return float(calling.loss(patient.loss_fn, swapped, chosen.fresh()))
        known = dict(_values(other, target, last))
        return torch.nan if kind is None else known.get(kind, torch.nan)

    ignored = getattr(patient.loss_fn, "ignore_index", -100)
    return Comparison(kind, prediction, target, value, score, last, ignored)


def named_kind(loss_fn: Any) -> Kind | None:
    """The kind of one of torch's own losses."""
    while isinstance(loss_fn, functools.partial):
        loss_fn = loss_fn.func
    if isinstance(loss_fn, nn.Module):
        return next((kind for one, kind in _MODULES.items() if isinstance(loss_fn, one)), None)
    try:
        return _FUNCTIONS.get(loss_fn)
    except TypeError:  # not hashable
        return None


def rows(prediction: Tensor, target: Tensor, *, last_axis: bool) -> tuple[Tensor, Tensor] | None:
    """`[cases, classes]` and one label for each."""
    if prediction.dim() == 1:
        return (prediction[None], target.reshape(1)) if target.numel() == 1 else None
    if last_axis or prediction.dim() == 2:
        flat = prediction.flatten(0, -2)
        return (flat, target.flatten()) if target.numel() == len(flat) else None
    if target.shape != (prediction.shape[0], *prediction.shape[2:]):
        return None
    return prediction.movedim(1, -1).flatten(0, -2), target.flatten()


def _value(patient: Patient, output: Any, batch: Batch) -> float:
    try:
        with torch.no_grad():
            return float(patient.calling.loss(patient.loss_fn, output, batch.fresh()))
    except Skip:
        return torch.nan


def _swapped(output: Any, old: Tensor, new: Tensor) -> Any:
    tensors = flatten(output)
    if not any(one is old for one in tensors):
        raise Skip(f"an output of type {type(output).__name__} cannot be put together again")
    return rebuild(output, [new if one is old else one for one in tensors])


def _recognised(prediction: Tensor, target: Tensor, value: float) -> tuple[Kind | None, bool]:
    """The kind that gives the same number, and whether its classes are along the last axis: how
    a loss written by hand is known."""
    prediction = prediction.float() if prediction.dtype in _SHORT else prediction
    counts = {1, max(1, target.numel()), max(1, len(target) if target.dim() else 1)}
    for last_axis in (False, True):
        for kind, found in _values(prediction, target, last_axis):
            if any(abs(found * count - value) <= 1e-4 * abs(value) + 1e-12 for count in counts):
                return kind, last_axis
    return None, True


def _values(prediction: Tensor, target: Tensor, last_axis: bool) -> Iterator[tuple[Kind, float]]:
    """What each kind of loss would say, as a mean."""
    for kind, function in _REFERENCE.items():
        try:
            with torch.no_grad():
                value = float(function(prediction, target, last_axis))
        except (RuntimeError, IndexError, ValueError, Skip):
            continue
        yield kind, value


def _classes(function: Callable[..., Tensor]) -> Callable[[Tensor, Tensor, bool], Tensor]:
    def compute(prediction: Tensor, target: Tensor, last_axis: bool) -> Tensor:
        if target.is_floating_point():
            return function(prediction, target)
        found = rows(prediction, target, last_axis=last_axis)
        if found is None:
            raise Skip("the labels have another shape")
        return function(*found)

    return compute


def _pairs(function: Callable[..., Tensor]) -> Callable[[Tensor, Tensor, bool], Tensor]:
    def compute(prediction: Tensor, target: Tensor, last_axis: bool) -> Tensor:
        sides = (prediction, target.to(prediction.dtype))
        return function(*torch.broadcast_tensors(*sides))  # type: ignore[no-untyped-call]

    return compute


_REFERENCE: dict[Kind, Callable[[Tensor, Tensor, bool], Tensor]] = {
    Kind.CROSS_ENTROPY: _classes(F.cross_entropy),
    Kind.LOG_LIKELIHOOD: _classes(F.nll_loss),
    Kind.BINARY_LOGITS: _pairs(F.binary_cross_entropy_with_logits),
    Kind.BINARY: _pairs(F.binary_cross_entropy),
    Kind.SQUARED: _pairs(F.mse_loss),
    Kind.ABSOLUTE: _pairs(F.l1_loss),
}
