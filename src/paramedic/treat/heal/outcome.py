"""What a heal came to: the status, the proof, the repaired model and plan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import nn

from paramedic.reading import read_object
from paramedic.treat.checkpoint import weights_only
from paramedic.treat.heal.attempt import Attempt, write_json
from paramedic.treat.plan import Plan
from paramedic.treat.training import Point
from paramedic.types import Finding

HEALTHY, HEALED, FAILED = "healthy", "healed", "failed"


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt as it is told: what was changed, against what, how good it got, what it cost."""

    number: int
    remedy: str
    against: str
    description: str
    verdict: str
    metric: float
    steps: int
    cost: float
    parent: int | None = None
    code: str = ""
    curve: tuple[Point, ...] = ()
    trace: Path | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "number": self.number, "remedy": self.remedy, "against": self.against,
            "description": self.description, "verdict": self.verdict,
            "metric": _told(self.metric), "steps": self.steps, "cost": round(self.cost, 6),
            "parent": self.parent, "code": self.code,
            "curve": [point.to_json() for point in self.curve],
            "trace": None if self.trace is None else str(self.trace),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a heal came to.

    `status` is `healthy` (trained once and left alone), `healed`, or `failed`. `before` is the
    metric of the untouched plan as far as it was trained, `after` that of `model`; `cost` the
    samples trained on over those of one untouched run, 1.0 for a healthy plan. `plan` is the
    changed plan, `original` the one that was given.
    """

    status: str
    metric: str
    before: float
    after: float
    cost: float
    problems: tuple[Finding, ...]
    attempts: tuple[Tried, ...]
    model: nn.Module = field(repr=False)
    plan: Plan = field(repr=False)
    original: Plan = field(repr=False)
    log: tuple[str, ...] = ()
    why: str = ""
    chosen: int = 0  # the number of the attempt whose model this is

    @property
    def remedies(self) -> tuple[Tried, ...]:
        """The attempts that led to the model, each treating one problem, oldest first."""
        chain: list[Tried] = []
        number: int | None = self.chosen
        while number is not None:
            chain.append(self.attempts[number])
            number = self.attempts[number].parent
        return tuple(one for one in reversed(chain) if one.remedy != "untouched")

    def find(self, **wanted: Any) -> tuple[Tried, ...]:
        """The attempts with these values: `outcome.find(remedy="S2", verdict="won")`."""
        return tuple(
            one
            for one in self.attempts
            if all(getattr(one, name) == value for name, value in wanted.items())
        )

    def curve(self, number: int) -> tuple[Point, ...]:
        """The curve of an attempt; 0 is the untouched plan."""
        return self.attempts[number].curve

    def code(self) -> str:
        """The changed plan as readable Python."""
        return self.plan.code()

    def diff(self) -> str:
        """What was changed, as a unified diff; empty if nothing was."""
        return self.original.diff(self.plan)

    def to_json(self) -> dict[str, Any]:
        """Everything but the model."""
        return {
            "status": self.status, "metric": self.metric, "before": _told(self.before),
            "after": _told(self.after), "cost": round(self.cost, 6), "why": self.why,
            "problems": [problem.to_json() for problem in self.problems],
            "chosen": self.chosen, "attempts": [one.to_json() for one in self.attempts],
            "plan": self.code(), "diff": self.diff(), "log": list(self.log),
        }  # fmt: skip

    def save(self, folder: Path | str) -> None:
        """`outcome.json`, `plan.py`, `plan.diff` and the weights, into a folder."""
        folder = Path(folder)
        write_json(folder / "outcome.json", self.to_json())
        (folder / "plan.py").write_text(self.code(), encoding="utf-8")
        (folder / "plan.diff").write_text(self.diff(), encoding="utf-8")
        weights_only(self.model, folder / "model.safetensors")

    def __str__(self) -> str:
        lines = [f"{self.status}: {self.metric} {_short(self.before)} → {_short(self.after)}"]
        lines[0] += f", cost {self.cost:.2f} trainings, {len(self.attempts)} attempts"
        lines += [f"  found: {one.slug}: {one.message}" for one in self.problems]
        lines += [f"  changed: {one.description} (against {one.against})" for one in self.remedies]
        return "\n".join([*lines, *([f"  {self.why}"] if self.why else [])])


def tried(attempts: Sequence[Attempt], whole: int) -> tuple[Tried, ...]:
    """The attempts as they are told; `whole` are the samples of one untouched run."""
    return tuple(_tried(one, whole) for one in attempts)


def _tried(attempt: Attempt, whole: int) -> Tried:
    treatment = attempt.treatment
    last = attempt.last
    return Tried(
        number=attempt.number,
        remedy=attempt.name,
        against="" if treatment is None else treatment.against,
        description="the plan as it is" if treatment is None else treatment.description,
        verdict=attempt.verdict,
        metric=math.nan if last is None else last.point.metric,
        steps=attempt.step,
        cost=attempt.samples / max(whole, 1),
        parent=attempt.parent,
        code="" if treatment is None else treatment.code,
        curve=tuple(attempt.points),
        trace=None if attempt.folder is None else attempt.folder / "trace.db",
    )


def _told(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _short(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "not measured"


def read_history(folder: Path | str) -> Mapping[str, Any]:
    """What `Outcome.save` wrote, as plain values: the history of a heal that is over."""
    path = Path(folder) / "outcome.json"
    if not path.is_file():
        raise FileNotFoundError(f"`{folder}` has no `outcome.json`: no heal has ended there.")
    return read_object(path)
