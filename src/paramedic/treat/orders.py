"""What treatment wants done: values, which somebody else carries out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from paramedic.types import Finding, Remedy, Safety

_SURE = 0.5  # confidence below which nothing is done
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
        heavy = "roll-back" if "roll-back" in actions else (actions or ["none"])[0]
        return f"{self.cause}/{heavy}"

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
    finding: Finding, remedies: Sequence[Remedy], actions: Sequence[str], level: float
) -> Order | None:
    """What to do about a finding: the first prescribed remedy that can be applied to a running
    training, else our own; `level` is the usual gradient norm."""
    able = [
        one
        for one in (*remedies, *_own(finding, level))
        if one.action in actions and one.confidence >= _SURE
    ]
    if not able:
        return None
    return Order(finding.slug, finding.message, (able[0],), finding.step)


def _own(finding: Finding, level: float) -> list[Remedy]:
    """Training Doctor's suggestions, with its confidences, where a living run can take them."""
    if finding.slug in ("exploding-gradient", "gradient-instability") and level == level:
        return [remedy("clip-gradients", 0.8, max_norm=2 * level)]
    if finding.slug in ("learning-rate-too-high", "loss-explosion", "oscillating-loss"):
        return [remedy("scale-rate", 0.9, factor=0.5)]
    if finding.slug == "overfitting":
        return [remedy("raise-dropout", 0.8, by=0.1, most=0.5)]
    return []
