"""C009: the loss at the start is that of guessing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.losses import CLASSES, REGRESSION, Comparison, Kind, comparison_of
from paramedic.checkup.patient import Patient
from paramedic.types import Severity


@dataclass(frozen=True, slots=True)
class InitialLoss(Check):
    """Before training a model guesses, and its loss is that of guessing.

    For cross-entropy over K classes that is ln K, for binary cross-entropy ln 2; for squared and
    absolute errors that of answering zero or the mean of the targets, whichever is worse. It is
    computed by asking the loss itself about such an answer, so weights, smoothing and sums are
    taken into account. Fails when the loss is far above: the weights or the inputs are too large,
    and training begins by unlearning. A lower loss is no fault: the model may have been trained.
    """

    code = "C009"
    slug = "initial-loss"

    factor: float = 2.0  # of the loss of guessing
    margin: float = 0.5  # added to that, of one nat or of the loss of guessing if that is less
    regression: float = 10.0  # factor for losses whose scale is that of the targets

    def run(self, patient: Patient) -> Outcome:
        comparison = comparison_of(patient)
        if math.isnan(comparison.value):
            patient.loss()  # says why it cannot be computed
            raise Skip("the loss is not a number")
        if comparison.kind is None:
            raise Skip(f"what to expect of this loss is not known; it is {comparison.value:.4g}")
        guess = _guess(comparison)
        limit = self._limit(comparison.kind, guess)
        words = (
            f"{comparison.value:.4g}, where guessing gives {guess:.4g} ({comparison.kind.value})"
        )
        numbers: dict[str, Any] = {"loss": comparison.value, "expected": guess, "threshold": limit}
        if comparison.value <= limit:
            return self.outcome(f"the first loss is {words}.", **numbers)
        finding = self.finding(
            f"The loss before training is {words}: the model begins certain of nonsense. The "
            "weights of the last layer or the inputs are too large.",
            severity=Severity.WARNING,
            **numbers,
        )
        return self.outcome("", [finding], **numbers)

    def _limit(self, kind: Kind, guess: float) -> float:
        if kind in REGRESSION:
            return self.regression * guess + 1e-12
        return self.factor * guess + self.margin * min(guess, 1.0)


def _guess(comparison: Comparison) -> float:
    """The loss of an answer that does not look at the input."""
    answers = [comparison.score(answer) for answer in _answers(comparison)]
    known = [answer for answer in answers if math.isfinite(answer)]
    if not known:
        raise Skip("the loss of guessing could not be computed")
    return max(known)


def _answers(comparison: Comparison) -> list[Tensor]:
    prediction, kind = comparison.prediction, comparison.kind
    if kind in CLASSES:
        count = prediction.shape[-1 if comparison.last_axis or prediction.dim() < 2 else 1]
        return [torch.full_like(prediction, -math.log(max(count, 1)))]
    if kind is Kind.BINARY:
        return [torch.full_like(prediction, 0.5)]
    if kind is Kind.BINARY_LOGITS:
        return [torch.zeros_like(prediction)]
    mean = comparison.target.double().mean().to(prediction.dtype)
    return [torch.zeros_like(prediction), torch.zeros_like(prediction) + mean]
