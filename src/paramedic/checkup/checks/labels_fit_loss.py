"""C015: the labels and the outputs are what the loss expects."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.demands import Problem, problems
from paramedic.checkup.losses import comparison_of
from paramedic.checkup.patient import Patient
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class LabelsFitLoss(Check):
    """Range, type and shape of the labels, and the last activation, fit the loss.

    For torch's losses, and for others that give the same numbers. Cross-entropy wants class numbers
    from 0 to K - 1 and raw scores: a softmax before it is applied twice. `NLLLoss` wants
    log-probabilities. `BCEWithLogitsLoss` wants labels from 0 to 1 and raw scores, `BCELoss` labels
    from 0 to 1 and probabilities. Errors of numbers want both sides of the same shape: `[N]`
    against `[N, 1]` silently compares all with all.
    """

    code = "C015"
    slug = "labels-fit-loss"

    def run(self, patient: Patient) -> Outcome:
        if patient.subject.loss_fn is None and not patient.calling.way.computes_loss:
            raise Skip("no `loss_fn` was given, and the model computes no loss")
        comparison = comparison_of(patient, patient.batch)
        whole = patient.whole.target
        assert whole is not None
        found = [self._told(one) for one in problems(comparison, whole, patient)]
        problem = patient.calling.loss_problem
        if not found and problem:
            message = (
                f"The loss cannot be computed for an output of shape "
                f"{list(comparison.prediction.shape)} and a target of shape "
                f"{list(comparison.target.shape)} ({comparison.target.dtype}): {problem}."
            )
            found = [self.finding(message)]
        if not found and comparison.kind is None:
            raise Skip("what this loss expects is not known")
        words = "" if comparison.kind is None else f" {comparison.kind.value}"
        return self.outcome(f"labels and outputs are what{words} expects.", found)

    def _told(self, problem: Problem) -> Finding:
        return self.finding(problem.message, confidence=problem.confidence, **problem.evidence)
