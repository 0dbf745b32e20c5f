"""More dropout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.operating import operated
from paramedic.treat.remedy import Treated
from paramedic.treat.surgery import add_dropout
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class Dropout:
    """A tenth more dropout, up to a half, or a first one: Training Doctor's remedy.

    `share` sets it at once.
    """

    slug: str = "dropout"
    title: str = "Use more dropout"
    against: tuple[str, ...] = ("overfitting",)
    share: float | None = None

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        return operated(plan, partial(add_dropout, p=self.share))
