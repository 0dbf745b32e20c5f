"""S8: the loss that suits the task."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.treat.plan import Plan
from paramedic.treat.preparations import Squeeze
from paramedic.treat.remedies.operating import operated
from paramedic.treat.remedies.output_activation import ended
from paramedic.treat.remedies.reading import is_whole, loss_kind, task
from paramedic.treat.remedies.targets import repaired
from paramedic.treat.remedy import Refusal, Treated
from paramedic.treat.surgery import resize_output
from paramedic.types import Finding, Task

_SUITED: dict[Task, tuple[str, type[nn.Module]]] = {
    Task.MULTI_CLASS: ("cross-entropy", nn.CrossEntropyLoss),
    Task.BINARY: ("binary-cross-entropy-with-logits", nn.BCEWithLogitsLoss),
    Task.MULTI_LABEL: ("binary-cross-entropy-with-logits", nn.BCEWithLogitsLoss),
    Task.REGRESSION: ("mse", nn.MSELoss),
}


@dataclass(frozen=True, slots=True)
class SuitLoss:
    """Cross-entropy for classes, its binary form for yes or no, squared error for numbers:
    AUTOTRAINER's S8.

    The end of the model and the form of the targets follow the loss; a model with one output for
    several classes gets one for each.
    """

    slug: str = "suit-loss"
    title: str = "Use the loss that suits the task"
    solution: str = "S8"
    against: tuple[str, ...] = (
        "improper-loss", "improper-output-activation", "loss-shape-mismatch", "slow-convergence",
        "loss-plateau", "non-finite", "invalid-labels",
    )  # fmt: skip

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        steps: list[Treated] = []
        asked = task(plan)
        if "classes" in finding.evidence:
            asked = Task.MULTI_CLASS
            steps += _one_output_each(plan)
        if asked not in _SUITED:
            raise Refusal("What the model is asked to do cannot be told from its targets.")
        name, kind = _SUITED[asked]
        if loss_kind(plan) == name:
            raise Refusal(f"The loss is {name} already, which suits a task that is {asked}.")
        before = steps[-1].plan if steps else plan
        steps.append(
            Treated(
                before.replace(loss=kind()),
                f"Use nn.{kind.__name__}() for a task that is {asked}.",
                f"loss_fn = nn.{kind.__name__}()",
            )
        )
        return _followed(steps, name)


def _one_output_each(plan: Plan) -> list[Treated]:
    """One output for each class, where there is one for all."""
    targets = plan.sample(50_000)[1]
    classes = int(targets.max()) + 1 if is_whole(targets) else 0
    output, _ = plan.output()
    columns = output.shape[-1] if isinstance(output, Tensor) and output.dim() > 1 else 1
    if columns > 1 or classes < 2:
        return []
    resized = operated(plan, partial(resize_output, outputs=classes, seed=plan.seed))
    extra = (Squeeze(),) if targets.dim() > 1 and targets.shape[-1] == 1 else ()
    return [
        Treated(
            resized.plan.replace(targets=(*plan.targets, *extra)),
            resized.description,
            resized.code,
        )
    ]


def _followed(steps: list[Treated], loss: str) -> Treated:
    """With the end of the model and the targets as the new loss takes them."""
    for follow in (ended, repaired):
        try:
            steps.append(follow(steps[-1].plan, loss))
        except Refusal:
            continue
    plan = steps[-1].plan
    output, targets = plan.output()
    try:
        with torch.no_grad():
            float(plan.loss(output, targets))
    except Exception as error:
        raise Refusal(f"{loss} cannot be computed on these targets: {error}") from error
    return Treated(
        plan,
        " ".join(step.description for step in steps),
        "\n".join(step.code for step in steps),
    )
