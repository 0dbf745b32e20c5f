"""How a run is right now: the verdict so far, the trend of its loss, and the sentence of both."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.curve import Curve, curve
from paramedic.types import Verdict, Window


@dataclass(frozen=True, slots=True)
class Condition:
    """The verdict, what the loss does, and the slug of what may be the cause if it is not well."""

    verdict: Verdict
    trend: str
    root: str | None = None
    fault: bool = False

    def __str__(self) -> str:
        root = f" ({self.root})" if self.root else ""
        return f"{self.verdict}{root}; {self.trend}"

    @property
    def tone(self) -> str:
        """Of the colours of a page: `healthy`, `warning`, `critical` or `unjudged`."""
        return tone(self.verdict, fault=self.fault)

    def to_json(self) -> dict[str, str | bool | None]:
        """Plain values."""
        values = {"verdict": str(self.verdict), "trend": self.trend, "root": self.root}
        return {**values, "fault": self.fault}


def condition(conclusion: Conclusion, window: Window) -> Condition:
    """How the run is, by its verdict so far and by its loss."""
    leading = conclusion.leading
    root = None if leading is None else leading.slug
    return Condition(conclusion.verdict, trend(window), root, bool(conclusion.faults))


def tone(verdict: Verdict, *, fault: bool) -> str:
    """`healthy`, `warning` (it learns, but something is wrong), `critical` or `unjudged`."""
    if verdict in (Verdict.NOT_LEARNING, Verdict.DIVERGED):
        return "critical"
    if fault:
        return "warning"
    return "healthy" if verdict is Verdict.LEARNING else "unjudged"


def trend(window: Window) -> str:
    """What the loss does, in words: beyond its noise, over the last half of what is remembered."""
    pulse = window.pulse
    if len(pulse) and not pulse.finite[-1] and not pulse.skipped[-1]:
        return "the loss is not finite"
    loss = window.derive(curve)
    if loss is None:
        return "too few losses to tell a trend"
    return f"the loss is {_direction(loss)} ({_numbers(loss)})"


def _direction(loss: Curve) -> str:
    if loss.falling:
        return "falling"
    return "rising" if loss.rising else "level"


def _numbers(loss: Curve) -> str:
    count = max(len(loss.levels) // 2, 3)
    steps = count * (loss.steps // len(loss.levels))
    return f"{loss.levels[-count]:.3g} → {loss.last:.3g} over the last {steps} steps"
