"""S5: another size of the batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paramedic.treat.batches import Loaded
from paramedic.treat.plan import Plan
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class LargerBatch:
    """Batches of 32, then twice as many up to 256: AUTOTRAINER's S5.

    It ends every oscillation there, and costs 13 points of accuracy.
    """

    slug: str = "larger-batch"
    title: str = "Use larger batches"
    solution: str = "S5"
    against: tuple[str, ...] = ("oscillating-loss", "gradient-instability")
    first: int = 32
    most: int = 256

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        now = plan.batch_size
        return _sized(plan, self.first if now < self.first else min(2 * now, self.most))


@dataclass(frozen=True, slots=True)
class SmallerBatch:
    """Smaller batches: more steps in the same epochs."""

    slug: str = "smaller-batch"
    title: str = "Use smaller batches, for more steps"
    against: tuple[str, ...] = ("too-few-steps", "slow-convergence", "learning-rate-too-low")
    least: int = 32

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        if plan.batch_size <= self.least:
            raise Refusal(f"Batches of {plan.batch_size} are small already.")
        return _sized(plan, max(plan.batch_size // 4, self.least))


def _sized(plan: Plan, size: int) -> Treated:
    now, samples = plan.batch_size, plan.batches[0].samples
    if isinstance(plan.train, Loaded) and plan.train.fixed is not None:
        raise Refusal("The batches are made by a loader with an order of its own.")
    if size == now:
        raise Refusal(f"Batches of {now} are as large as they should get.")
    if samples is not None and size > samples // 2:
        raise Refusal(f"Batches of {size} are too large for {samples} samples.")
    return Treated(
        plan.replace(batch_size=size),
        f"Use batches of {size} instead of {now}.",
        f"batch_size = {size}  # was {now}",
    )
