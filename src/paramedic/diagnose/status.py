"""How a run stands right now, in the plain numbers that a display shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.condition import Condition
from paramedic.types import Epoch, Event, Finding, Pulse, Verdict, Window


def _no_pulse() -> Pulse:
    flags = np.empty(0, np.bool_)
    return Pulse(np.empty(0, np.int64), np.empty(0), flags, flags)


@dataclass(frozen=True, slots=True, eq=False)
class Status:
    """What is known after `step`.

    `steps` is how many there will be, None if nobody has said so; `flow` the gradient by layer,
    see `flow`; `findings` has the root first. `overhead` is the share of the time of the run that
    watching has cost in `looks` looks, `seconds` how long it has been watched.
    """

    step: int = -1
    steps: int | None = None
    condition: Condition = field(default_factory=lambda: Condition(Verdict.TOO_EARLY, ""))
    findings: tuple[Finding, ...] = ()
    interventions: tuple[Event, ...] = ()
    epochs: tuple[Epoch, ...] = ()
    pulse: Pulse = field(default_factory=_no_pulse)
    flow: Mapping[str, float] = field(default_factory=dict)
    overhead: float = 0.0
    looks: int = 0
    seconds: float = 0.0

    @property
    def loss(self) -> float:
        """That of the newest step; NaN if it was not seen."""
        return float(self.pulse.loss[-1]) if len(self.pulse) else math.nan

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None where it cannot be known."""
        done = self.step + 1
        if self.steps is None or done < 1 or self.steps < done:
            return None
        return self.seconds / done * (self.steps - done)


def flow(window: Window) -> dict[str, float]:
    """The gradient that arrives in each layer, in the order of execution: the root mean square
    over its weights in the newest frame that has it. Infinite where it was not finite."""
    norms = _newest(window.layer("grad_norm"))
    found: dict[str, float] = {}
    for layer, norm in zip(window.chart.layers, norms, strict=True):
        if layer.parameters and layer.tied_to is None and not math.isnan(norm):
            found[layer.name] = float(norm) / math.sqrt(layer.parameters)
    return found


def _newest(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The newest row that has anything in it."""
    there = np.flatnonzero(~np.isnan(rows).all(axis=1))
    return rows[there[-1]] if len(there) else np.full(rows.shape[1], np.nan, np.float32)
