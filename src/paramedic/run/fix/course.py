"""How a training went, in the numbers by which two runs are compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paramedic.run.outcome import Record
from paramedic.trace import Trace
from paramedic.types import Epoch

_TAIL = 0.1  # share of the steps at the end whose losses are averaged
_FEWEST = 10
_POINTS = 60  # of a curve in the report
LOSS, VALIDATION, ACCURACY = "training loss", "val_loss", "val_acc"


@dataclass(frozen=True, slots=True)
class Course:
    """How a training went: the losses of its steps and the numbers of its epochs."""

    losses: Sequence[float] = ()
    epochs: Sequence[Epoch] = ()

    def upto(self, steps: int) -> Course:
        """As if it had ended earlier."""
        return Course(self.losses[:steps], [one for one in self.epochs if one.step < steps])

    def value(self, metric: str) -> float | None:
        """The metric at the end; None if it was not measured, infinite if it is not finite."""
        if metric == LOSS:
            if not len(self.losses):
                return None
            count = max(int(len(self.losses) * _TAIL), _FEWEST)
            mean = float(np.mean(self.losses[-count:]))
            return mean if math.isfinite(mean) else math.inf
        values = [one.values[metric] for one in self.epochs if metric in one.values]
        return values[-1] if values else None

    def curve(self) -> list[float]:
        """A few points of the losses, for a picture."""
        parts = np.array_split(np.asarray(self.losses, float), min(_POINTS, len(self.losses)) or 1)
        return [float(part.mean()) for part in parts if len(part)]


def course_of_record(record: Record) -> Course:
    """The course of a training that was watched."""
    if record.trace is None or not record.trace.exists():
        return Course(record.losses, record.epochs)
    with Trace.open(record.trace) as found:
        return Course(found.pulse().loss.tolist(), tuple(found.epochs))
