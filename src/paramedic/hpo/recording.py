"""A recorded study: a folder with one trace and one small JSON file per trial.

```
study/study.json         what counts: the metric, its direction, the epochs of a trial
study/trial-0007.db      the trace
study/trial-0007.json    hyperparameters, and value and time at the end of each epoch
```
The JSON file of a trial is written last: a trial without one was cut off, and does not count.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paramedic.reading import Unreadable, read_object

FORMAT = 1
DIRECTIONS = ("minimize", "maximize")


class StudyError(ValueError):
    """A folder that is not a recorded study, or is damaged."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a study is after: a metric, its direction, and the planned epochs of a trial."""

    metric: str
    direction: str
    epochs: int

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise StudyError(
                f"`direction` must be `minimize` or `maximize` but got {self.direction!r}."
            )
        if self.epochs < 1:
            raise StudyError(f"`epochs` must be at least 1 but got {self.epochs}.")

    def badness(self, value: float) -> float:
        """The value such that less is better; what is not finite is the worst."""
        if not math.isfinite(value):
            return math.inf
        return value if self.direction == "minimize" else -value


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """One trial to its end: `values` of the metric and `seconds` since its start, by epoch."""

    number: int
    values: tuple[float, ...]
    seconds: tuple[float, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    trace: Path | None = None


class StudyFolder:
    """Writes and reads a recorded study. Several processes may write different trials."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def create(self, goal: Goal) -> None:
        """Make the folder, or check that the one that is there has the same goal."""
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / "study.json").exists():
            there = self.goal
            if there != goal:
                raise StudyError(f"`{self.path}` records another study: {there}, not {goal}.")
            return
        told = {"format": FORMAT, "metric": goal.metric, "direction": goal.direction}
        _write(self.path / "study.json", {**told, "epochs": goal.epochs})

    @property
    def goal(self) -> Goal:
        """What the study is after."""
        told = _read(self.path / "study.json")
        if told.get("format") != FORMAT:
            raise StudyError(
                f"`{self.path}` has the format {told.get('format')!r}; this version reads {FORMAT}."
            )
        try:
            return Goal(str(told["metric"]), str(told["direction"]), int(told["epochs"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise StudyError(f"`{self.path}/study.json` is damaged: {error!r}.") from error

    def trace(self, number: int) -> Path:
        """Where the trace of a trial is, or will be."""
        return self.path / f"trial-{number:04d}.db"

    def has(self, number: int) -> bool:
        """Whether the trial was recorded to its end."""
        return self._story(number).exists()

    def discard(self, number: int) -> None:
        """Remove the trace of a trial that was cut off, so that it can be recorded again."""
        for ending in ("", "-wal", "-shm"):
            Path(f"{self.trace(number)}{ending}").unlink(missing_ok=True)

    def add(
        self,
        number: int,
        values: Sequence[float],
        seconds: Sequence[float],
        params: Mapping[str, Any] | None = None,
    ) -> None:
        """A trial has come to its end."""
        if len(values) != len(seconds):
            raise StudyError(
                f"Trial {number} has {len(values)} values but {len(seconds)} times; one of each "
                "per epoch is needed."
            )
        finite = [value if math.isfinite(value) else None for value in values]
        told = {"number": number, "values": finite, "seconds": list(seconds)}
        _write(self._story(number), {**told, "params": dict(params or {})})

    def trials(self) -> Iterator[RecordedTrial]:
        """All trials that came to their end, by number."""
        for path in sorted(self.path.glob("trial-*.json")):
            yield self._trial(path)

    def _trial(self, path: Path) -> RecordedTrial:
        told = _read(path)
        try:
            number = int(told["number"])
            values = tuple(math.nan if one is None else float(one) for one in told["values"])
            seconds = tuple(float(one) for one in told["seconds"])
            params = dict(told["params"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise StudyError(f"`{path}` is damaged: {error!r}.") from error
        if len(values) != len(seconds) or not values:
            raise StudyError(f"`{path}` is damaged: it needs one value and one time per epoch.")
        trace = self.trace(number)
        return RecordedTrial(number, values, seconds, params, trace if trace.exists() else None)

    def _story(self, number: int) -> Path:
        return self.path / f"trial-{number:04d}.json"


def _write(path: Path, told: Mapping[str, Any]) -> None:
    """Whole or not at all: a reader never sees half a file."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    draft.write_text(json.dumps(told, allow_nan=False) + "\n", encoding="utf-8")
    draft.replace(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        return read_object(path)
    except FileNotFoundError as error:
        raise StudyError(
            f"There is no `{path.name}` in `{path.parent}`: it is not a recorded study."
        ) from error
    except Unreadable as error:
        raise StudyError(str(error)) from error
