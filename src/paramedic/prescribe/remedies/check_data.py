"""What only a person who knows the data can put right, and the order of the samples."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.diagnose.rows import scalars
from paramedic.prescribe.cure import Cure, Dose, Family, estimate, treats
from paramedic.types import Finding, Safety, Window

_QUESTIONS = {
    "dead-input": (
        "Look at what the data loader gives: every sample of a batch is the same",
        "print(inputs.std(0).max(), inputs[:2])",
    ),
    "uninformative-labels": (
        "Check that each label belongs to its sample: shuffled apart, joined wrongly, or noise",
        "for x, y in list(dataset)[:8]: print(y, x)",
    ),
    "gradient-instability": (
        "Look at the batches whose loss jumps: their samples are not like the others",
        "if loss > 5 * usual_loss: print(step, inputs.abs().max(), targets)",
    ),
}


@dataclass(frozen=True, slots=True)
class CheckData(Cure):
    """Says what to look at in the data; no number of the run can tell what is right there."""

    slug = "check-data"
    family = Family.FAULT
    safety = Safety.ADVICE
    against = treats(
        {
            "dead-input": estimate(0.7),
            "uninformative-labels": estimate(0.6),
            "gradient-instability": estimate(0.5),
        }
    )

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        title, code = _QUESTIONS[finding.slug]
        return Dose(title, code)


@dataclass(frozen=True, slots=True)
class ShuffleData(Cure):
    """Mixes samples that come sorted by class."""

    slug = "shuffle-data"
    family = Family.FAULT
    against = treats({"oscillating-loss": estimate(0.95)})

    share: float = 0.4  # of the batches that hold one class only

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        alike = scalars(window, "target_constant")
        if not len(alike) or float((alike > 0).mean()) <= self.share:
            return None
        size = window.chart.batch_size or "batch_size"
        return Dose(
            title=f"Shuffle the training data: {(alike > 0).mean():.0%} of the batches hold one "
            "class only",
            code=f"loader = torch.utils.data.DataLoader(dataset, batch_size={size}, shuffle=True)",
        )
