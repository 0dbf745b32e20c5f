"""C005: edge inputs give finite outputs and finite gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paramedic.checkup.batch import Batch
from paramedic.checkup.calling import prediction_in
from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.patient import Patient
from paramedic.checkup.words import listed
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class NumericalStability(Check):
    """Zeros, the largest token and large values give neither NaN nor infinity.

    Forward and backward, in training mode, on the batch itself, on inputs that are all zero, on
    real numbers `large` times as big and on the last token of the vocabulary. Tokens that stand
    for padding are not tried alone: a sample of nothing but padding has no meaning.
    """

    code = "C005"
    slug = "numerical-stability"

    large: float = 10.0

    def run(self, patient: Patient) -> Outcome:
        tried = ["the batch itself"]
        findings: list[Finding | None] = [self._judged(patient, tried[0], patient.batch)]
        if findings[0] is None:
            for name, batch in self._edges(patient):
                tried.append(name)
                findings.append(self._judged(patient, name, batch))
        names = ", ".join(tried)
        return self.outcome(f"finite outputs and gradients on {names}.", findings, tried=tried)

    def _edges(self, patient: Patient) -> Iterator[tuple[str, Batch]]:
        if not patient.can_vary:
            return
        if patient.lookups:
            yield (
                "texts of the first token of the vocabulary",
                patient.replaced(lambda old, new: _first(patient, old)),
            )
            yield (
                "texts of its last token",
                _tokens(patient, lambda rows, padding: rows - 1 - (padding == rows - 1)),
            )
        else:
            yield "zeros", patient.replaced(lambda old, new: torch.zeros_like(old))
            yield (
                f"values {self.large:g} times as large",
                patient.replaced(lambda old, new: self._larger(old)),
            )

    def _larger(self, values: Tensor) -> Tensor:
        """Pixels stay within what their type can hold."""
        if values.is_floating_point():
            return values * self.large
        return torch.full_like(values, int(values.max()))

    def _judged(self, patient: Patient, name: str, batch: Batch) -> Finding | None:
        """A finding if a result is not finite."""
        model = patient.another()
        try:
            bad, where = self._not_finite(patient, model, batch)
        except Exception:
            if name == "the batch itself":
                raise
            return None  # a model may refuse what is out of its range
        if not bad:
            return None
        return self.finding(f"On {name} {bad} is not finite.", where=where, input=name)

    def _not_finite(
        self, patient: Patient, model: nn.Module, batch: Batch
    ) -> tuple[str, list[str]]:
        """What is not finite, in words, and which parameters that concerns."""
        output = patient.output(batch, model=model, training=True)
        prediction = prediction_in(output)
        if prediction is not None and bool(torch.isnan(prediction).any()):
            return "the output", []
        objective = self._objective(patient, output, batch)
        if not bool(torch.isfinite(objective)):
            return "the loss", []
        if objective.requires_grad:
            objective.backward()  # type: ignore[no-untyped-call]
        where = [name for name, one in model.named_parameters() if not _finite(one.grad)]
        return (f"the gradient of {listed(where)}" if where else ""), where

    def _objective(self, patient: Patient, output: object, batch: Batch) -> Tensor:
        try:
            return patient.calling.loss(patient.loss_fn, output, batch.fresh())
        except Skip:
            found = prediction_in(output)
            if found is None:
                raise
            return found.mean()


def _first(patient: Patient, old: Tensor) -> Tensor:
    """The first token of the vocabulary that is not padding everywhere but at the beginning.

    Models find padding by its value: where zero is padding, a sample keeps one real token.
    """
    lookup = next(one for place, one in patient.lookups.items() if _is(patient, place, old))
    tokens = torch.full_like(old, 1 if lookup.padding == 0 and lookup.rows > 1 else 0)
    if tokens.dim() > 1:
        axis = patient.batch.sequence_axis
        tokens.narrow(axis, 0, 1).copy_(old.narrow(axis, 0, 1))
    return tokens


def _is(patient: Patient, place: int, tensor: Tensor) -> bool:
    return patient.batch.tensors[place] is tensor


def _tokens(patient: Patient, choose: Callable[[int, int], int]) -> Batch:
    changed = {
        place: torch.full_like(patient.batch.tensors[place], choose(one.rows, one.padding))
        for place, one in patient.lookups.items()
    }
    return patient.batch.with_tensors(changed)


def _finite(gradient: Tensor | None) -> bool:
    return gradient is None or bool(torch.isfinite(gradient).all())
