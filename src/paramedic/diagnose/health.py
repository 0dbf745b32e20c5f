"""How a run is right now: one word, the trend of its loss, and the sentence made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.curve import Curve, curve
from paramedic.types import Health, Severity, Window


@dataclass(frozen=True, slots=True)
class Condition:
    """The word, what the loss does, and the slug of the root if something was found."""

    health: Health
    trend: str
    root: str | None = None

    def __str__(self) -> str:
        root = f" ({self.root})" if self.root and self.health is not Health.HEALTHY else ""
        return f"{self.health}{root}; {self.trend}"

    def to_json(self) -> dict[str, str | None]:
        """Plain values."""
        return {"health": str(self.health), "trend": self.trend, "root": self.root}


def condition(diagnosis: Diagnosis, cases: Iterable[Case], window: Window) -> Condition:
    """How the run is, by what was found and by its loss."""
    root = None if diagnosis.root is None else diagnosis.root.slug
    return Condition(health(diagnosis, cases, window), trend(window), root)


def health(diagnosis: Diagnosis, cases: Iterable[Case], window: Window) -> Health:
    """Critical while something critical is there; sick while anything else is and the loss does
    not fall; strained if it falls nevertheless, or when what was there has gone."""
    held = {finding.slug for finding in diagnosis.findings}
    serious = [case for case in cases if case.finding.slug in held and _matters(case)]
    there = [case.finding.severity for case in serious if case.is_open]
    if Severity.CRITICAL in there:
        return Health.CRITICAL
    if there:
        loss = window.derive(curve)
        return Health.STRAINED if loss is not None and loss.falling else Health.SICK
    return Health.STRAINED if serious else Health.HEALTHY


def _matters(case: Case) -> bool:
    return case.finding.severity is not Severity.INFO


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
