"""S6: another learning rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paramedic.prescribe.cure import rounded, short
from paramedic.prescribe.pace import SOUND_RATIO
from paramedic.treat.plan import Plan
from paramedic.treat.remedies.reading import is_adaptive, rate, with_settings
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding

TOO_FAST = (
    "learning-rate-too-high", "oscillating-loss", "loss-explosion", "exploding-gradient",
    "gradient-instability", "non-finite", "dying-relu", "saturated-activation",
)  # fmt: skip
TOO_SLOW = (
    "learning-rate-too-low", "slow-convergence", "too-few-steps", "loss-plateau",
    "vanishing-gradient",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DefaultRate:
    """The usual rate: 0.01 for SGD, 0.001 for adaptive optimizers; AUTOTRAINER's S6."""

    slug: str = "default-rate"
    title: str = "Use the usual learning rate"
    solution: str = "S6"
    against: tuple[str, ...] = (*TOO_FAST, *TOO_SLOW)
    plain: float = 0.01
    adaptive: float = 0.001

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        wanted, now = self.adaptive if is_adaptive(plan) else self.plain, rate(plan)
        wrong_way = (finding.slug in TOO_FAST) == (wanted > now) or wanted == now
        if wrong_way:
            raise Refusal(
                f"The usual rate, {wanted:g}, is no remedy for {finding.slug} at {now:g}."
            )
        return with_rate(plan, wanted / now)


@dataclass(frozen=True, slots=True)
class LowerRate:
    """A tenth of the rate: AUTOTRAINER's S6 for oscillating losses."""

    slug: str = "lower-rate"
    title: str = "Lower the learning rate"
    solution: str = "S6"
    against: tuple[str, ...] = (*TOO_FAST, "no-more-gain", "overfitting")
    over: float = 10.0

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        return with_rate(plan, 1 / self.over)


@dataclass(frozen=True, slots=True)
class RaiseRate:
    """Ten times the rate: AUTOTRAINER's S6 for slow convergence."""

    slug: str = "raise-rate"
    title: str = "Raise the learning rate"
    solution: str = "S6"
    against: tuple[str, ...] = TOO_SLOW
    times: float = 10.0

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        return with_rate(plan, self.times)


@dataclass(frozen=True, slots=True)
class SuitedRate:
    """A rate at which a step moves the weights by a sound share, from what was measured."""

    slug: str = "suited-rate"
    title: str = "Set the learning rate by how far a step moves the weights"
    against: tuple[str, ...] = ("learning-rate-too-high", "learning-rate-too-low")
    ratio: float = SOUND_RATIO
    least: float = 1e-4
    most: float = 1e4

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        moved = finding.evidence.get("update_ratio")
        if not isinstance(moved, int | float) or not moved > 0:
            raise Refusal("How far a step moves the weights was not measured.")
        factor = rounded(min(max(self.ratio / moved, self.least), self.most))
        too_high = finding.slug == "learning-rate-too-high"
        if too_high != (factor < 1):
            raise Refusal(f"A step moves the weights by {moved:.2g} of their size, which is sound.")
        return with_rate(plan, factor)


def with_rate(plan: Plan, factor: float) -> Treated:
    """The plan with its rate times a factor, also where a scheduler has rates of its own."""
    now = rate(plan)
    new = float(f"{now * factor:.6g}")
    changed = with_settings(plan, lr=new)
    if plan.scheduler is not None:
        kind, settings = plan.scheduler
        own = {name: settings[name] for name in ("max_lr", "base_lr") if name in settings}
        scaled = {name: value * factor for name, value in own.items() if isinstance(value, float)}
        changed = changed.replace(scheduler=(kind, {**settings, **scaled}))
    verb = "Lower" if factor < 1 else "Raise"
    return Treated(
        changed,
        f"{verb} the learning rate from {short(now)} to {short(new)}.",
        f"lr = {new:g}  # was {now:g}",
    )
