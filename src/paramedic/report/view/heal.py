"""A heal as it is shown: the attempts as a timeline, with their curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import conclude
from paramedic.diagnose.verdict import Assessment
from paramedic.reading import read_object
from paramedic.report.view.findings import Card, cards
from paramedic.report.view.judgement import Judgement
from paramedic.types import Finding, Verdict

_WORDS = {
    "healthy": "Healthy: trained once and left alone",
    "healed": "Healed",
    "failed": "Not healed",
}
_FAILED = Assessment(Verdict.NOT_LEARNING, "this is why it was repaired")
_VALUES = ("train_loss", "val_loss", "metric")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt: what was changed against what, and how good it got.

    `led` tells that it is on the way to the model that was kept. `curve` maps `step`,
    `train_loss`, `val_loss` and `metric` to values; NaN is not known.
    """

    number: int
    remedy: str
    against: str
    description: str
    verdict: str
    metric: float
    steps: int
    cost: float
    code: str
    parent: int | None
    led: bool
    curve: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class HealView:
    """What a heal came to."""

    name: str
    status: str
    sentence: str
    metric: str
    before: float
    after: float
    cost: float
    why: str
    problems: tuple[Card, ...]
    attempts: tuple[Attempt, ...]
    diff: str
    plan: str

    @property
    def health(self) -> str:
        """For the colour of the page."""
        return "critical" if self.status == "failed" else "healthy"

    def to_json(self) -> dict[str, Any]:
        """What scripts draw."""
        return {
            "metric": self.metric,
            "attempts": [
                {"number": one.number, "remedy": one.remedy, "led": one.led,
                 "verdict": one.verdict, "curve": dict(one.curve)}
                for one in self.attempts
            ],
        }  # fmt: skip


def heal_view(told: Mapping[str, Any], name: str = "heal") -> HealView:
    """From `Outcome.to_json()`; `ValueError` if it is something else."""
    try:
        return _view(told, name)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"`{name}` is not the outcome of a heal: {error!r}.") from error


def read_heal(folder: Path) -> HealView:
    """A heal that has ended in this folder."""
    path = folder / "outcome.json"
    if not path.is_file():
        raise FileNotFoundError(f"`{folder}` has no `outcome.json`: no heal has ended there.")
    return heal_view(read_object(path), folder.name)


def _view(told: Mapping[str, Any], name: str) -> HealView:
    attempts, problems = told["attempts"], [Finding.from_json(one) for one in told["problems"]]
    led = _way(attempts, told["chosen"])
    before, after = _number(told["before"]), _number(told["after"])
    found = Diagnosis(problems[0], tuple(problems[1:])) if problems else Diagnosis()
    return HealView(
        name=name,
        status=str(told["status"]),
        sentence=_sentence(told, before, after),
        metric=str(told["metric"]),
        before=before,
        after=after,
        cost=float(told["cost"]),
        why=str(told["why"]),
        problems=cards(Judgement(found, conclude(found, (), _FAILED))),
        attempts=tuple(_attempt(one, led) for one in attempts),
        diff=str(told["diff"]),
        plan=str(told["plan"]),
    )


def _way(attempts: Sequence[Mapping[str, Any]], chosen: int) -> set[int]:
    """The attempts that led to the model."""
    found: set[int] = set()
    number: int | None = chosen
    while number is not None and number not in found and 0 <= number < len(attempts):
        found.add(number)
        number = attempts[number]["parent"]
    return found


def _attempt(told: Mapping[str, Any], led: set[int]) -> Attempt:
    points = told["curve"]
    curve = {name: tuple(_number(one[name]) for one in points) for name in ("step", *_VALUES)}
    return Attempt(
        number=int(told["number"]),
        remedy=str(told["remedy"]),
        against=str(told["against"]),
        description=str(told["description"]),
        verdict=str(told["verdict"]),
        metric=_number(told["metric"]),
        steps=int(told["steps"]),
        cost=float(told["cost"]),
        code=str(told["code"]),
        parent=told["parent"],
        led=told["number"] in led,
        curve=curve,
    )


def _sentence(told: Mapping[str, Any], before: float, after: float) -> str:
    word, count = _WORDS.get(str(told["status"]), str(told["status"])), len(told["attempts"])
    if told["status"] == "healthy":
        return f"{word}: {told['metric']} {_short(after)}."
    tries = f"{count} attempt{'s' if count != 1 else ''}"
    change = f"{told['metric']} {_short(before)} → {_short(after)}"
    return f"{word}: {change}, {tries}, {float(told['cost']):.2f} trainings."


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _short(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "not measured"
