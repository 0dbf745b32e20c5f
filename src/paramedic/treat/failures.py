"""A training that raises: what the error says about the plan, as a finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from paramedic.treat.batches import fed
from paramedic.treat.plan import Plan
from paramedic.types import Finding, Severity

_CODES = {
    "invalid-labels": "D002",
    "improper-output-activation": "A003",
    "loss-shape-mismatch": "O006",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """The error, and the finding that it amounts to."""

    error: str
    finding: Finding


def failure(error: Exception, plan: Plan, inputs: Any, targets: Tensor) -> Failure:
    """What a step that raised tells: targets that the loss cannot take, or outputs it cannot."""
    told = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    output = _output(plan, inputs)
    slug = _slug(output, targets)
    message = f"The loss cannot be computed: {told}"
    evidence = {"error": told, "output": _shape(output), "targets": _shape(targets)}
    finding = Finding(_CODES[slug], slug, Severity.CRITICAL, 0.9, message, 0, evidence=evidence)
    return Failure(told, finding)


def _output(plan: Plan, inputs: Any) -> Any:
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        return fed(plan.build_model().eval(), inputs)


def _slug(output: Any, targets: Tensor) -> str:
    """Which of the three kinds of mismatch it is."""
    if not isinstance(output, Tensor):
        return "loss-shape-mismatch"
    labels = not targets.is_floating_point()
    if labels and output.dim() >= 2:
        classes = output.shape[1]
        if int(targets.min()) < 0 or int(targets.max()) >= classes:
            return "invalid-labels"
    if not labels and output.shape == targets.shape:
        outside = float(output.min()) < 0 or float(output.max()) > 1
        inside = float(targets.min()) >= 0 and float(targets.max()) <= 1
        return "improper-output-activation" if outside and inside else "invalid-labels"
    if output.shape[:1] == targets.shape[:1] and output.dim() != targets.dim():
        return (
            "invalid-labels" if output.dim() == 2 and output.shape[1] > 1 else "loss-shape-mismatch"
        )
    return "loss-shape-mismatch"


def _shape(values: Any) -> str:
    if not isinstance(values, Tensor):
        return type(values).__name__
    return f"{list(values.shape)} {str(values.dtype).removeprefix('torch.')}"
