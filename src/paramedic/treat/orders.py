"""What treatment wants done: values, which somebody else carries out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from paramedic.treat.limits import Limits
from paramedic.types import Finding, Remedy, Safety

_SURE = 0.5  # confidence below which nothing is done
_LASTING = ("clip-gradients", "scale-rate", "raise-dropout")  # what can be done about a finding
_GENTLEST = 0.1  # what the rate is multiplied by at once, without being asked
_SAFETIES = [Safety.SAFE, Safety.UNSAFE]
_TITLES = {
    "skip-step": "Do not apply this step",
    "clip-gradients": "Clip the gradient to its usual size",
    "scale-rate": "Lower the learning rate",
    "raise-dropout": "Raise dropout",
    "roll-back": "Go back to the last good state and leave out the batches since",
    "stop": "Give the run up",
}


@dataclass(frozen=True, slots=True)
class Order:
    """Remedies to apply together, and why. Without remedies it is only worth telling.

    `cause` names what is treated; `began` the step at which it began, before which the state was
    good. A `quiet` order has been told often enough. `takes_back` is the cause whose treatment
    was wrong.
    """

    cause: str
    reason: str
    remedies: tuple[Remedy, ...] = ()
    began: int = 0
    quiet: bool = False
    takes_back: str = ""

    @property
    def kind(self) -> str:
        """Its cause and the heaviest thing it asks for: who refuses that may agree to less."""
        actions = [one.action for one in self.remedies]
        heavy = [one for one in ("stop", "roll-back") if one in actions]
        return f"{self.cause}/{[*heavy, *actions, 'none'][0]}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        remedies = [remedy.to_json() for remedy in self.remedies]
        return {
            "cause": self.cause, "reason": self.reason, "remedies": remedies, "began": self.began,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        remedies = tuple(Remedy.from_json(one) for one in data["remedies"])
        return cls(data["cause"], data["reason"], remedies, data["began"])


def remedy(action: str, confidence: float = 0.9, **args: Any) -> Remedy:
    """One of the actions of live treatment."""
    return Remedy(action, _TITLES[action], confidence, Safety.SAFE, action, args)


def for_finding(
    finding: Finding,
    remedies: Sequence[Remedy],
    limits: Limits,
    level: float,
    *,
    asked: bool = False,
) -> Order | None:
    """What to do about a finding: of what was prescribed the safest that a running training can
    take, else our own; `level` is the usual gradient norm.

    A rate is only raised, or lowered to less than a tenth, where somebody is `asked`.
    """
    able = [one for one in remedies if _is_able(one, limits)]
    able = sorted(able, key=lambda one: _SAFETIES.index(one.safety))
    able += [one for one in _own(finding, level) if _is_able(one, limits)]
    if not asked:
        able = [gentle for one in able if (gentle := _gentle(one)) is not None]
    return Order(finding.slug, finding.message, (able[0],), finding.step) if able else None


def _is_able(one: Remedy, limits: Limits) -> bool:
    allowed = one.action in _LASTING and one.action in limits.actions
    return allowed and one.confidence >= _SURE and one.safety in _SAFETIES


def _gentle(one: Remedy) -> Remedy | None:
    if one.action != "scale-rate":
        return one
    factor = float(one.args["factor"])
    if factor >= 1:
        return None
    return replace(one, args={**one.args, "factor": max(factor, _GENTLEST)})


def _own(finding: Finding, level: float) -> list[Remedy]:
    """Training Doctor's suggestions, with its confidences, where a living run can take them."""
    if finding.slug in ("exploding-gradient", "gradient-instability") and level == level:
        return [remedy("clip-gradients", 0.8, max_norm=2 * level)]
    if finding.slug in ("learning-rate-too-high", "loss-explosion", "oscillating-loss"):
        return [remedy("scale-rate", 0.9, factor=0.5)]
    if finding.slug == "overfitting":
        return [remedy("raise-dropout", 0.8, by=0.1, most=0.5)]
    return []
