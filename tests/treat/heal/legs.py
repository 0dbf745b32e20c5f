"""Attempts and legs that were never trained."""

from __future__ import annotations

import math
from typing import Any

from paramedic.treat.heal.attempt import Attempt, Leg, Treatment
from paramedic.treat.training import Point
from paramedic.types import Finding, Severity
from tests.treat.plans import plan


def finding(
    slug: str = "vanishing-gradient", severity: Severity = Severity.CRITICAL, step: int = 5
) -> Finding:
    return Finding("G001", slug, severity, 0.9, "it is so", step)


def leg(metric: float = 0.5, step: int = 20, **changes: Any) -> Leg:
    values: dict[str, Any] = {
        "until": step,
        "step": step,
        "ended": False,
        "point": Point(step, step / 16, 0.5, 0.5, metric),
        "progress": 0.0,
    }
    return Leg(**{**values, **changes})


def attempt(*legs: Leg, number: int = 0, **changes: Any) -> Attempt:
    made = Attempt(number, plan(), **changes)
    made.legs = list(legs)
    made.points = [one.point for one in legs]
    for one in legs:
        made.advance(one.until, None)  # type: ignore[arg-type]
    return made


TREATMENT = Treatment("adam", "vanishing-gradient", "another optimizer", "optimizer = …")
NAN = math.nan
