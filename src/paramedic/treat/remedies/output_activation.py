"""S2 at the output: the function that the loss wants there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.operating import operated
from paramedic.treat.remedies.reading import example, loss_kind
from paramedic.treat.remedy import Refusal, Treated
from paramedic.treat.surgery import (
    activations,
    add_output_activation,
    remove_output_activation,
)
from paramedic.types import Finding

# Losses that want a function; all others take the last layer as it is (logits, or numbers).
WANTED = {"binary-cross-entropy": "sigmoid", "nll": "logsoftmax"}


@dataclass(frozen=True, slots=True)
class OutputActivation:
    """Ends the model in what its loss takes: AUTOTRAINER's S2 for the output.

    Its authors want softmax for classes; torch's cross-entropy computes that itself, and wants
    the logits.
    """

    slug: str = "output-activation"
    title: str = "End in what the loss takes"
    solution: str = "S2"
    against: tuple[str, ...] = (
        "improper-output-activation", "vanishing-gradient", "dying-relu", "slow-convergence",
        "loss-plateau", "saturated-activation",
    )  # fmt: skip

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        return ended(plan, loss_kind(plan, finding))


def ended(plan: Plan, loss: str) -> Treated:
    """The plan whose model ends in what a loss takes; a refusal if it does."""
    now = next(iter(activations(plan.build_model(), example(plan), "output").values()), None)
    wanted = WANTED.get(loss)
    if now == wanted:
        raise Refusal(f"The model ends in {now or 'a layer'}, which {loss} takes.")
    if wanted is None:
        return operated(plan, remove_output_activation)
    return operated(plan, lambda model, batch: add_output_activation(model, batch, wanted))
