"""C012: the output depends on the input."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.patient import Patient
from paramedic.checkup.variation import difference


@dataclass(frozen=True, slots=True)
class InputDependence(Check):
    """Another input gives another output.

    In evaluation mode and with shaken weights, so that a last layer that begins at zero does not
    hide what lies behind it. Fails when the input is overwritten, multiplied by zero, or lost in
    saturated or dead units.
    """

    code = "C012"
    slug = "input-dependence"

    tolerance: float = 1e-6  # of the largest output

    def run(self, patient: Patient) -> Outcome:
        changes = []
        for amount in (0.0, 0.5):
            model = patient.shaken(amount) if amount else patient.another()
            before = patient.prediction(model=model)
            if not bool(torch.isfinite(before).any()):
                raise Skip("no output is finite")
            after = patient.prediction(patient.varied(), model=model)
            if before.shape != after.shape:
                return self.outcome("another input changes even the shape of the output.")
            changes.append(float(difference(before, after).max()))
            if changes[-1] > self.tolerance:
                words = f"another input changes the output by {changes[-1]:.2g} of its scale."
                return self.outcome(words, difference=changes[-1])
        finding = self.finding(
            f"A completely different input changes the output by {max(changes):.1g} of its scale: "
            "the model does not look at it.",
            difference=max(changes), threshold=self.tolerance,
        )  # fmt: skip
        return self.outcome("", [finding])
