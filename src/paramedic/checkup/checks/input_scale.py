"""C016: the input is on a scale that a net can learn from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.patient import Patient
from paramedic.checkup.products import Products
from paramedic.types import Finding, Severity


@dataclass(frozen=True, slots=True)
class InputScale(Check):
    """Real inputs are finite, not constant, and of the order of one where they meet weights.

    What counts is what the first weights are multiplied with: a model that scales or normalises
    its own input may be given any. `most` and `least` bound its root mean square, `column` that of
    each feature of a table.
    """

    code = "C016"
    slug = "input-scale"

    most: float = 20.0
    column: float = 50.0
    least: float = 1e-3

    def run(self, patient: Patient) -> Outcome:
        inputs = [patient.whole.tensors[place] for place in patient.whole.inputs]
        real = [one for one in inputs if one.numel() and (one.is_floating_point() or one.dim() > 2)]
        if not real:
            raise Skip("no input holds real numbers")
        spoiled = [self._spoiled(one) for one in real]
        if any(spoiled):
            return self.outcome("", spoiled)
        if len(inputs) == 1 and (constant := self._constant(real[0])) is not None:
            return self.outcome("", [constant])
        size = max(_size(one) for one in real)
        met = _met(patient)
        findings = [self._large(met), self._small(met)]
        words = f"root mean square {size:.3g}, {_size(met):.3g} where it meets the first weights."
        return self.outcome(words, findings, size=size, met=_size(met))

    def _spoiled(self, values: Tensor) -> Finding | None:
        bad = float((~torch.isfinite(values)).double().mean())
        if bad:
            message = f"{100 * bad:.3g} % of the input values are NaN or infinite."
            return self.finding(message, share=bad)
        return None

    def _constant(self, values: Tensor) -> Finding | None:
        if values.numel() > 1 and bool((values == values.flatten()[0]).all()):
            message = f"All input values are the same ({float(values.flatten()[0]):.3g})."
            return self.finding(message, value=float(values.flatten()[0]))
        return None

    def _large(self, met: Tensor) -> Finding | None:
        size, column = _size(met), max(_by_feature(met), default=0.0)
        if size <= self.most and column <= self.column:
            return None
        size = max(size, column)
        return self.finding(
            f"The input is not scaled: where it meets the first weights its root mean square is "
            f"{size:.3g} (values from {float(met.min()):.3g} to {float(met.max()):.3g}). Bring it "
            "to about zero mean and unit variance.",
            severity=Severity.WARNING,
            size=size, threshold=self.most, lowest=float(met.min()), highest=float(met.max()),
        )  # fmt: skip

    def _small(self, met: Tensor) -> Finding | None:
        size = _size(met)
        if size >= self.least or size == 0:  # zeros are no scale: C012 says what they are
            return None
        return self.finding(
            f"The input is tiny: its root mean square is {size:.1g} where it meets the first "
            "weights. Bring it to about zero mean and unit variance.",
            severity=Severity.WARNING,
            size=size, threshold=self.least,
        )  # fmt: skip


def _size(values: Tensor) -> float:
    return float(values.double().square().mean().sqrt())


def _by_feature(values: Tensor) -> Iterator[float]:
    if values.dim() == 2 and len(values) > 1:
        yield from values.double().square().mean(0).sqrt().tolist()


def _met(patient: Patient) -> Tensor:
    """What the first weights are multiplied with, in training mode: batch norms work then too."""
    watcher = Products(patient.model)
    with watcher:
        patient.run(training=not patient.calling.training_problem)
    first = next(iter(watcher.found.values()), None)
    if first is not None and first.operand.is_floating_point() and first.operand.numel():
        return first.operand
    raise Skip("the input meets no weights that are known")
