"""Several remedies as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paramedic.treat.plan import Plan
from paramedic.treat.remedy import Remedy, Treated
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class Together:
    """Applies several remedies one after the other; it does not fit if one of them does not."""

    slug: str
    title: str
    parts: tuple[Remedy, ...]
    against: tuple[str, ...]

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        done: list[Treated] = []
        for part in self.parts:
            done.append(part.apply(done[-1].plan if done else plan, finding, facts))
        return Treated(
            done[-1].plan,
            " ".join(one.description for one in done),
            "\n".join(one.code for one in done),
            steps=sum(one.steps for one in done),
        )
