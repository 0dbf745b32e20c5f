"""One run as it is shown, on any surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paramedic.report.view.course import Course
from paramedic.report.view.findings import Card, Link, cards, links
from paramedic.report.view.headline import Headline, headline
from paramedic.report.view.judgement import Judgement
from paramedic.report.view.maps import CELLS, LayerMap, maps
from paramedic.report.view.panels import Panel, panels
from paramedic.report.view.plain import plain
from paramedic.types import Chart, Event, Task

WIDTH = 480  # pixels that a curve is drawn in
_MOST_EVENTS = 100
_MOST_NAMED = 200  # layers of a finding


@dataclass(frozen=True, slots=True)
class Unchecked:
    """Detectors that could not look, and why."""

    why: str
    slugs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """What watching cost; a share of the time of the training."""

    share: float | None
    seconds: float | None
    looks: int
    steps: int


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything a reader needs of one run."""

    name: str
    headline: Headline
    cards: tuple[Card, ...]
    links: tuple[Link, ...]
    panels: tuple[Panel, ...]
    maps: tuple[LayerMap, ...]
    events: tuple[Event, ...]
    facts: Mapping[str, str]
    unchecked: tuple[Unchecked, ...]
    cost: Cost
    last_step: int
    rules: str

    def to_json(self) -> dict[str, Any]:
        """What scripts draw; the words are in the page already."""
        return {
            "name": self.name,
            "health": self.headline.tone,
            "verdict": self.headline.word,
            "last_step": self.last_step,
            "panels": plain(self.panels),
            "maps": plain(self.maps),
            "marks": [
                {"slug": card.slug, "title": card.title, "severity": card.severity,
                 "step": card.began, "told": card.told, "gone": card.gone, "role": card.role,
                 "where": list(card.where[:_MOST_NAMED])}
                for card in self.cards if card.role != "set aside"
            ],
        }  # fmt: skip


def run_view(
    name: str,
    course: Course,
    judgement: Judgement,
    *,
    spent: Mapping[str, Any] | None = None,
    width: int = WIDTH,
    cells: int = CELLS,
) -> RunView:
    """A run from its numbers and what is known of it.

    Args:
        name: what to call it.
        course: its numbers, of `course.read` or `course.of_window`.
        judgement: of a replay, a record or the trace itself.
        spent: what watching cost, as the monitor tells it.
        width: pixels of a curve; maps have at most as many columns.
        cells: the most cells of a map.
    """
    found, steps = cards(judgement), course.last_step + 1
    return RunView(
        name=name,
        headline=headline(judgement, found, steps, len(course.steps)),
        cards=found,
        links=links(judgement),
        panels=panels(course, width),
        maps=maps(course, width, cells),
        events=tuple(one for one in course.events if one.kind != "chart")[:_MOST_EVENTS],
        facts=_facts(course.chart, course),
        unchecked=_unchecked(judgement),
        cost=_cost(spent or {}, course),
        last_step=course.last_step,
        rules=judgement.rules,
    )


def _unchecked(judgement: Judgement) -> tuple[Unchecked, ...]:
    groups: dict[str, list[str]] = {}
    for slug, why in judgement.not_checked.items():
        groups.setdefault(why, []).append(slug)
    return tuple(Unchecked(why, tuple(slugs)) for why, slugs in groups.items())


def _cost(spent: Mapping[str, Any], course: Course) -> Cost:
    share, seconds = spent.get("share"), spent.get("seconds")
    return Cost(
        share=float(share) if isinstance(share, int | float) else None,
        seconds=float(seconds) if isinstance(seconds, int | float) else None,
        looks=len(course.steps),
        steps=course.last_step + 1,
    )


def _facts(chart: Chart, course: Course) -> dict[str, str]:
    """What does not change in the run, in a few words each; only what is known."""
    parameters = sum(layer.parameters for layer in chart.layers if layer.tied_to is None)
    told = {
        "steps": f"{course.last_step + 1:,}",
        "epochs": str(len(course.epochs)) if course.epochs else "",
        "layers": str(len(chart.layers)) if chart.layers else "",
        "parameters": f"{parameters:,}" if parameters else "",
        "optimizer": ", ".join(_optimizer(one) for one in chart.optimizers),
        "loss": chart.loss or "",
        "task": "" if chart.task is Task.UNKNOWN else chart.task.value,
        "batch": str(chart.batch_size) if chart.batch_size else "",
        "device": chart.device,
        "torch": chart.versions.get("torch", ""),
    }
    return {name: value for name, value in told.items() if value}


def _optimizer(told: Mapping[str, Any]) -> str:
    return str(told.get("name") or told.get("kind") or told.get("class") or "optimizer")
