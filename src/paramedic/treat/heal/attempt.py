"""One attempt of a heal: a plan that is trained a leg at a time, and what each leg came to.

A leg that is on record is not trained again: a heal that was interrupted runs through the same
decisions, finds the same legs, and goes on training where they end.
"""

from __future__ import annotations

import copy
import json
import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from paramedic.reading import Unreadable, read_object
from paramedic.treat import checkpoint
from paramedic.treat.plan import Plan
from paramedic.treat.training import Best, Point, Training
from paramedic.types import Finding, Severity

_SAVED_EVERY = 5.0  # seconds between checkpoints within a leg


@dataclass(frozen=True, slots=True)
class Leg:
    """A stretch of an attempt: where it ended, how good the model was, what was wrong then."""

    until: int
    step: int
    ended: bool
    point: Point
    progress: float = math.nan
    findings: tuple[Finding, ...] = ()
    error: str = ""

    @property
    def slugs(self) -> frozenset[str]:
        """What was found, by its names."""
        return frozenset(finding.slug for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        found = [finding.to_json() for finding in self.findings]
        return {
            "until": self.until, "step": self.step, "ended": self.ended,
            "point": self.point.to_json(), "progress": _told(self.progress), "findings": found,
            "error": self.error,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Leg:
        """What `to_json` gave."""
        found = tuple(Finding.from_json(one) for one in data["findings"])
        point = Point.from_json(data["point"])
        progress = math.nan if data["progress"] is None else data["progress"]
        where = data["until"], data["step"], data["ended"]
        return cls(*where, point, progress, found, data["error"])


def _told(value: float) -> float | None:
    return value if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Treatment:
    """What makes an attempt differ from its parent: the remedy, against what, in words and code."""

    remedy: str
    against: str
    description: str
    code: str = ""
    steps: int = 0  # of training that it took to find it


@dataclass(frozen=True)
class Watchfulness:
    """What ends a leg early: any serious finding, or only a critical one; `accepted` slugs never
    do, nor does anything once the metric is good enough."""

    serious: bool = True
    accepted: frozenset[str] = frozenset()

    def stops(self, training: Training) -> bool:
        """Whether the training should stop now."""
        found = [one for one in training.findings if one.slug not in self.accepted]
        if not self.serious:
            found = [one for one in found if one.severity is Severity.CRITICAL]
        return bool(found) and not _satisfied(training)


def _satisfied(training: Training) -> bool:
    enough = training.plan.satisfactory
    if enough is None or not training.points:
        return False
    return not training.plan.measure.better(enough, training.points[-1].metric)


@dataclass(eq=False)
class Attempt:
    """A plan under trial. `folder` is where it is recorded, None keeps it in memory."""

    number: int
    plan: Plan
    treatment: Treatment | None = None
    parent: int | None = None
    folder: Path | None = None
    legs: list[Leg] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    verdict: str = "not run"
    weights: Mapping[str, Tensor] | None = None  # taken over from its parent, not trained
    _training: Training | None = field(default=None, repr=False)
    _state: dict[str, Any] | None = field(default=None, repr=False)
    _replayed: int = 0  # legs that this process has asked for

    def __post_init__(self) -> None:
        self.reload()

    @property
    def is_recorded(self) -> bool:
        """Whether the next leg is on record."""
        return self._replayed < len(self.legs)

    def reload(self) -> None:
        """Read what was recorded, by an earlier heal or by another process."""
        if self.folder is not None and os.path.lexists(self._record):
            data = read_object(self._record)
            try:
                self.legs = [Leg.from_json(leg) for leg in data["legs"]]
                self.points = [Point.from_json(point) for point in data["points"]]
            except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
                problem = f"is no record of an attempt ({error!r}); remove its folder."
                raise Unreadable(self._record, problem) from error

    @property
    def name(self) -> str:
        """`untouched`, or the remedy."""
        return "untouched" if self.treatment is None else self.treatment.remedy

    @property
    def step(self) -> int:
        """How far it has come."""
        return self.legs[self._replayed - 1].step if self._replayed else 0

    @property
    def last(self) -> Leg | None:
        """The newest leg."""
        return self.legs[self._replayed - 1] if self._replayed else None

    @property
    def samples(self) -> int:
        """Samples that were trained on: steps of different batch sizes are not alike."""
        extra = 0 if self.treatment is None else self.treatment.steps
        own = 0 if self.weights is not None else self.step
        return (own + extra) * self.plan.batch_size

    @property
    def seen(self) -> int:
        """Samples that its own training has seen."""
        return self.step * self.plan.batch_size

    # -- training --------------------------------------------------------------------------------

    def advance(
        self,
        until: int,
        watchfulness: Watchfulness,
        on_step: Callable[[Training], None] | None = None,
    ) -> Leg:
        """Train until a step, or take it from the record."""
        until = min(until, self.plan.steps)
        if self.last is not None and (self.last.ended or self.last.step >= until):
            return self.last  # first: for this no leg was recorded
        if self.is_recorded:
            self._replayed += 1
            return self.legs[self._replayed - 1]
        leg = self._trained(until, watchfulness, on_step)
        self.legs.append(leg)
        self._replayed += 1
        self._write()
        return leg

    def _trained(
        self, until: int, watchfulness: Watchfulness, on_step: Callable[[Training], None] | None
    ) -> Leg:
        training = self.training
        saved = time.monotonic()

        def after_step(training: Training) -> None:
            nonlocal saved
            if on_step is not None:
                on_step(training)
            if self.folder is not None and time.monotonic() - saved > _SAVED_EVERY:
                training.save(self._checkpoint)
                saved = time.monotonic()

        training.advance(until, stops=watchfulness.stops, on_step=after_step)
        if training.ended:
            training.close()
        point = training.judge()
        self.points = list(training.points)
        error = training.failure.error if training.failure else ""
        where = until, training.step, training.ended
        return Leg(*where, point, training.progress, training.findings, error)

    @property
    def training(self) -> Training:
        """The training, at the end of the newest leg: made, or brought back from its checkpoint."""
        if self._training is None:
            state, trace = self._state, None
            if self.folder is not None:
                trace = self.folder / "trace.db"
                saved = os.path.lexists(self._checkpoint)
                state = checkpoint.load(self._checkpoint) if saved else None
            self._training = Training(self.plan, trace=trace, state=state)
        return self._training

    def model(self) -> nn.Module:
        """The model as far as it was trained, no longer watched."""
        if self.weights is not None:
            model = self.plan.build_model()
            model.load_state_dict(self.weights)
            return model
        training = self.training
        training.close()
        return training.model

    def take_over(self, best: Best) -> None:
        """Be what the parent was at its best: the same seed gives the same weights at that step,
        so nothing has to be trained."""
        self.weights, self.points = best.weights, [best.point]
        step = best.point.step
        self.legs = [Leg(step, step, True, best.point)]
        self._replayed = 1

    def release(self) -> None:
        """Not needed for now: stop watching, and keep only what is needed to go on."""
        if self._training is not None:
            self._training.close()
            if self.folder is None:
                self._state = copy.deepcopy(self._training.state())
            self._training = None

    # -- the record ------------------------------------------------------------------------------

    @property
    def _record(self) -> Path:
        assert self.folder is not None
        return self.folder / "record.json"

    @property
    def _checkpoint(self) -> Path:
        assert self.folder is not None
        return self.folder / "checkpoint.safetensors"

    def _write(self) -> None:
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self.training.save(self._checkpoint)  # first: a record never promises more than there is
        write_json(self._record, self._on_record())

    def _on_record(self) -> dict[str, Any]:
        return {
            "legs": [leg.to_json() for leg in self.legs],
            "points": [point.to_json() for point in self.points],
        }


def write_json(path: Path, data: Any) -> None:
    """The file is whole or as it was before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(data, indent=1), encoding="utf-8")
    os.replace(partial, path)
