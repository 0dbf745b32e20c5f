"""C014: training and evaluation mode differ only by dropout and batch normalisation."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.dropouts import Randomness
from paramedic.checkup.patient import Patient
from paramedic.checkup.variation import difference
from paramedic.checkup.words import listed
from paramedic.types import Severity


@dataclass(frozen=True, slots=True)
class TrainEvalAgreement(Check):
    """Evaluation mode drops nothing, and otherwise computes what training mode does.

    Fails when dropout works in evaluation mode too (`F.dropout(x)` without
    `training=self.training`, a `dropout_p` that is always on), and when the two modes differ though
    nothing is drawn at random and no batch is normalised. An activation that is added only in
    evaluation mode is told, not counted; so are samples that are drawn, as in a VAE.
    """

    code = "C014"
    slug = "train-eval-agreement"

    tolerance: float = 1e-4  # of the largest output

    def run(self, patient: Patient) -> Outcome:
        evaluated, seen = _run(patient, training=False)
        if seen.dropouts:
            where = list(dict.fromkeys(seen.dropouts))
            finding = self.finding(
                f"Dropout works in evaluation mode too, in {listed(where)}: use `nn.Dropout`, or "
                "pass `training=self.training`.",
                where=where, times=len(seen.dropouts),
            )  # fmt: skip
            return self.outcome("", [finding])
        trained, noise = _run(patient, training=True)
        if evaluated.shape != trained.shape or evaluated.dtype != trained.dtype:
            raise Skip(
                f"the modes give other outputs: {list(trained.shape)} in training, "
                f"{list(evaluated.shape)} in evaluation"
            )
        change = float(difference(evaluated, trained).max())
        note = "; samples are drawn in evaluation mode too" if seen.draws else ""
        if change <= self.tolerance:
            return self.outcome(f"both modes give the same output{note}.", difference=change)
        explained = _explained(evaluated, trained, noise)
        if explained:
            words = f"the modes differ by {change:.2g} of the scale, from {explained}{note}."
            return self.outcome(words, difference=change)
        finding = self.finding(
            f"The same input gives another output in training mode (by {change:.2g} of its "
            "scale), and neither dropout nor batch normalisation explains it: something asks for "
            "`self.training`.",
            severity=Severity.WARNING,
            confidence=0.85, difference=change, threshold=self.tolerance,
        )  # fmt: skip
        return self.outcome("", [finding])


def _run(patient: Patient, *, training: bool) -> tuple[Tensor, Randomness]:
    """The prediction, and what happened beside it."""
    model = patient.another()
    seen = Randomness(model)
    before = {name: one.clone() for name, one in model.named_buffers()}
    with seen.place.followed(), seen:
        prediction = patient.prediction(model=model, training=training)
    after = dict(model.named_buffers())
    seen.updated += [
        name for name, one in before.items() if name in after and not torch.equal(one, after[name])
    ]
    return prediction, seen


def _explained(evaluated: Tensor, trained: Tensor, noise: Randomness) -> str:
    """What makes the modes differ, if that is as it should be."""
    found = [
        ("dropout", noise.dropouts),
        ("random draws", noise.draws),
        ("batch normalisation", noise.batch_norms),
        # Those of batch normalisations are known already.
        ("buffers that are updated in training mode", not noise.batch_norms and noise.updated),
    ]
    causes = [name for name, places in found if places]
    if not causes and evaluated.dim():
        for name, function in (("softmax", nn.Softmax(-1)), ("sigmoid", nn.Sigmoid())):
            if torch.allclose(function(trained), evaluated, atol=1e-5):
                causes.append(f"a {name} in evaluation mode")
    return " and ".join(causes)
