"""Gradients clipped by the norm that was measured."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Any

from paramedic.prescribe.cure import rounded
from paramedic.treat.plan import Plan
from paramedic.treat.remedies.reading import gradient_norms, is_adaptive, rate
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class ClipNorm:
    """Clips the gradient to its usual norm.

    That is the one the finding tells (`usual`), or the median over the first batches. Where the
    gradient is too large from the start, and the optimizer does not divide by its size, it is the
    norm with which a step moves the weights by `movement` of their size.
    """

    slug: str = "clip-norm"
    title: str = "Clip the gradient by its measured norm"
    against: tuple[str, ...] = (
        "exploding-gradient", "gradient-instability", "loss-explosion", "non-finite",
        "learning-rate-too-high", "oscillating-loss",
    )  # fmt: skip
    movement: float = 0.01

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        limit = rounded(self._limit(plan, finding))
        if plan.clip_norm is not None and plan.clip_norm <= limit:
            raise Refusal(f"The gradient is clipped to {plan.clip_norm:g} already.")
        return Treated(
            plan.replace(clip_norm=limit),
            f"Clip the norm of the gradient to {limit:g}, as measured.",
            f"nn.utils.clip_grad_norm_(model.parameters(), {limit:g})",
        )

    def _limit(self, plan: Plan, finding: Finding) -> float:
        told = finding.evidence.get("usual")
        if isinstance(told, int | float) and math.isfinite(told) and told > 0:
            return float(told)
        norms = gradient_norms(plan)
        if not norms:
            raise Refusal("No gradient of the untrained model is finite, so none can be usual.")
        usual = statistics.median(norms)
        if is_adaptive(plan):
            return usual
        weights = math.sqrt(
            sum(float(one.detach().norm()) ** 2 for one in plan.build_model().parameters())
        )
        return min(usual, self.movement * weights / max(rate(plan), 1e-12))
