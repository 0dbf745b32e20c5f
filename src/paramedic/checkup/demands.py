"""What each kind of loss demands of labels and outputs, and which demands are not met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from paramedic.checkup.calling import prediction_in
from paramedic.checkup.losses import CLASSES, REGRESSION, Comparison, Kind
from paramedic.checkup.patient import Patient
from paramedic.probe.comparison import compare

_ALMOST = 1e-4  # how close a sum is to one, for numbers that can tell


@dataclass(frozen=True, slots=True)
class Problem:
    """One demand that is not met."""

    message: str
    confidence: float = 0.95
    evidence: Mapping[str, Any] = field(default_factory=dict)


def problems(comparison: Comparison, whole: Tensor, patient: Patient) -> Iterator[Problem]:
    """All demands that are not met; `whole` are the targets of the whole batch."""
    if whole.is_floating_point() and not bool(torch.isfinite(whole).all()):
        share = float((~torch.isfinite(whole)).double().mean())
        yield Problem(f"{100 * share:.3g} % of the targets are NaN or infinite.")
        return
    kind = comparison.kind
    if kind in CLASSES:
        yield from _classes(comparison, whole)
        yield from _class_outputs(comparison)
    elif kind in (Kind.BINARY, Kind.BINARY_LOGITS):
        yield from _shapes(comparison)
        yield from _between(whole, kind)
        yield from _binary_outputs(comparison, _function(patient))
    elif kind in REGRESSION:
        yield from _shapes(comparison)


def _function(patient: Patient) -> str | None:
    """The last operation of the model, from its graph: `sigmoid`, `softmax`, `linear` …"""
    prediction = prediction_in(patient.output(training=True))
    return compare(prediction, None, None, "").output_function


# -- classes -------------------------------------------------------------------------------------


def _classes(comparison: Comparison, whole: Tensor) -> Iterator[Problem]:
    prediction = comparison.prediction
    axis = -1 if comparison.last_axis or prediction.dim() < 2 else 1
    count = prediction.shape[axis]
    if comparison.has_probabilities:
        yield from _shares(whole, axis)
        return
    if count == 1:
        yield Problem(
            "The model has one output, and cross-entropy over a single class is always 0: use "
            "`BCEWithLogitsLoss`, or two outputs.",
            evidence={"classes": 1},
        )
        return
    if whole.is_floating_point():
        yield Problem(
            f"The labels are real numbers ({whole.dtype}) of shape {list(whole.shape)}; class "
            "numbers must be integers: `target.long()`.",
        )
        return
    yield from _label_range(whole[whole != comparison.ignored], count, comparison.ignored)


def _label_range(labels: Tensor, count: int, ignored: int) -> Iterator[Problem]:
    if not labels.numel():
        yield Problem(f"Every label is {ignored}, which the loss leaves out: nothing is learned.")
        return
    low, high = int(labels.min()), int(labels.max())
    if low >= 0 and high < count:
        return
    hint = " They seem to count from 1; subtract 1." if low >= 1 and high == count else ""
    yield Problem(
        f"The labels go from {low} to {high}, but {count} outputs stand for the classes 0 to "
        f"{count - 1}.{hint}",
        evidence={"lowest": low, "highest": high, "classes": count},
    )


def _shares(whole: Tensor, axis: int) -> Iterator[Problem]:
    sums = whole.double().sum(axis)
    if bool((whole < 0).any()) or bool(((sums - 1).abs() > 1e-3).any()):
        yield Problem(
            f"The targets have the shape of the output, so they are read as shares of the classes, "
            f"but they sum to between {float(sums.min()):.3g} and {float(sums.max()):.3g}.",
            evidence={"lowest": float(sums.min()), "highest": float(sums.max())},
        )


def _class_outputs(comparison: Comparison) -> Iterator[Problem]:
    prediction = comparison.prediction
    axis = -1 if comparison.last_axis or prediction.dim() < 2 else 1
    if prediction.shape[axis] < 2:
        return
    probabilities = _is_distribution(prediction, axis)
    if comparison.kind is Kind.CROSS_ENTROPY and probabilities:
        yield Problem(
            "The outputs sum to one: a softmax comes before a cross-entropy that applies its own. "
            "Give it the raw scores.",
        )
    if comparison.kind is Kind.LOG_LIKELIHOOD and not _is_distribution(prediction.exp(), axis):
        what = "probabilities" if probabilities else "raw scores"
        yield Problem(
            f"The negative log-likelihood wants log-probabilities but gets {what}: use "
            "`log_softmax` before it, or `CrossEntropyLoss` on raw scores.",
        )


def _is_distribution(values: Tensor, axis: int) -> bool:
    sums = values.double().sum(axis)
    slack = max(_ALMOST, 4 * torch.finfo(values.dtype).eps)
    return bool((values >= 0).all()) and bool(((sums - 1).abs() < slack).all())


# -- numbers -------------------------------------------------------------------------------------


def _shapes(comparison: Comparison) -> Iterator[Problem]:
    output, target = tuple(comparison.prediction.shape), tuple(comparison.target.shape)
    if output == target:
        return
    try:
        together = list(torch.broadcast_shapes(output, target))  # type: ignore[no-untyped-call]
    except RuntimeError:
        yield Problem(f"The output has the shape {list(output)}, the target {list(target)}.")
        return
    yield Problem(
        f"The output has the shape {list(output)}, the target {list(target)}: together they become "
        f"{together}, and every output is compared with every target. Give both the same shape.",
        evidence={"output": list(output), "target": list(target), "together": together},
    )


def _between(whole: Tensor, kind: Kind) -> Iterator[Problem]:
    low, high = float(whole.double().min()), float(whole.double().max())
    if low < 0 or high > 1:
        yield Problem(
            f"The labels go from {low:g} to {high:g}, but {kind.value} wants them from 0 to 1.",
            evidence={"lowest": low, "highest": high},
        )


def _binary_outputs(comparison: Comparison, function: str | None) -> Iterator[Problem]:
    prediction = comparison.prediction
    inside = bool(((prediction >= 0) & (prediction <= 1)).all())
    if comparison.kind is Kind.BINARY_LOGITS and function in ("sigmoid", "softmax") and inside:
        yield Problem(
            f"A {function} comes before a binary cross-entropy that applies its own sigmoid. Give "
            "it the raw scores.",
        )
    if comparison.kind is Kind.BINARY and not inside:
        low, high = float(prediction.min()), float(prediction.max())
        yield Problem(
            f"The outputs go from {low:.3g} to {high:.3g}, but binary cross-entropy wants "
            "probabilities: a sigmoid is missing before it.",
            evidence={"lowest": low, "highest": high},
        )
    elif comparison.kind is Kind.BINARY and function in ("linear", "convolution"):
        yield Problem(
            "The last operation is a linear layer, but binary cross-entropy wants probabilities: "
            "a sigmoid is missing before it.",
        )
