"""A page: one or several runs, heals and studies, and what could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paramedic.report.view.heal import HealView
from paramedic.report.view.plain import plain
from paramedic.report.view.run import RunView
from paramedic.report.view.study import StudyView

_GRAVITY = ("critical", "warning", "unjudged", "healthy")


@dataclass(frozen=True, slots=True)
class PageView:
    """Everything on one page. `errors` maps a file to what is wrong with it."""

    title: str
    runs: tuple[RunView, ...] = ()
    heals: tuple[HealView, ...] = ()
    studies: tuple[StudyView, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def health(self) -> str:
        """The worst of everything on the page."""
        found = {run.headline.tone for run in self.runs} | {one.health for one in self.heals}
        return next((word for word in _GRAVITY if word in found), "healthy")

    def to_json(self) -> dict[str, Any]:
        """What scripts draw."""
        return {
            "runs": plain(self.runs),
            "heals": plain(self.heals),
            "studies": plain(self.studies),
        }
