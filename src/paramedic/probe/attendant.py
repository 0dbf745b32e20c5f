"""Where somebody who acts can stand by the loop.

The probe only reads. Whoever may write to models and optimizers (`treat/`) is handed in as an
`Attendant`: the loop tells it of each step before the step is taken and after, the monitor of each
case that is opened, and what it did comes back as events for the record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torch import nn
from torch.optim import Optimizer

from paramedic.diagnose.case import Case
from paramedic.probe.cycle import Cycle
from paramedic.probe.guard import Guard
from paramedic.types import Event, Finding, Remedy


@dataclass(frozen=True, slots=True)
class Patient:
    """What is trained, and the rules of the house: whose errors are whose, what may be spent."""

    models: Mapping[str, nn.Module]
    optimizers: Sequence[Optimizer]
    guard: Guard
    overhead: float | None


class Attendant(Protocol):
    """Stands by; none of its methods may raise into the training."""

    acts: bool  # whether it wants to see every step
    should_stop: bool
    seconds: float  # spent so far

    @property
    def interventions(self) -> tuple[Event, ...]:
        """What it did so far."""

    def before_step(self, optimizer: Optimizer, step: int, cycle: Cycle) -> None:
        """`optimizer` is about to take this step, with the gradients that are there now."""

    def after_step(self, optimizer: Optimizer) -> None:
        """It has taken it."""

    def step_skipped(self, cycle: Cycle) -> None:
        """A gradient scaler has thrown the step away."""

    def case_opened(self, case: Case, remedies: Sequence[Remedy]) -> None:
        """The detectors are certain of something, against which these may help."""

    def reported(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        """The user is told of a finding, in these words."""

    def news(self) -> Sequence[Event]:
        """What was done since this was last asked, for the record."""

    def undo(self) -> Event | None:
        """Take back the newest intervention that still lasts; None if there is none."""

    def close(self) -> None:
        """Leave, and leave nothing in force."""


Attending = Callable[[Patient], Attendant]


class Bystander:
    """The attendant of a run that is only watched."""

    acts = False
    should_stop = False
    seconds = 0.0
    interventions: tuple[Event, ...] = ()

    def __init__(self, patient: Patient | None = None) -> None: ...

    def before_step(self, optimizer: Optimizer, step: int, cycle: Cycle) -> None: ...

    def after_step(self, optimizer: Optimizer) -> None: ...

    def step_skipped(self, cycle: Cycle) -> None: ...

    def case_opened(self, case: Case, remedies: Sequence[Remedy]) -> None: ...

    def reported(self, finding: Finding, remedies: Sequence[Remedy]) -> None: ...

    def news(self) -> Sequence[Event]:
        return ()

    def undo(self) -> Event | None:
        return None

    def close(self) -> None: ...


def has_closure(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether `optimizer.step` was called with a closure: its gradients are not there yet."""
    return callable(kwargs.get("closure")) or any(callable(one) for one in args[1:])
