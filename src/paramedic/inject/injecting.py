"""`paramedic.inject`: the one call that makes a model sick on purpose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from paramedic.inject.discovery import choose
from paramedic.inject.fault import Fault
from paramedic.inject.injection import Injection, Plan
from paramedic.inject.timetable import Timetable
from paramedic.probe.attach import is_off


def inject(  # noqa: PLR0913 - these are the settings a user knows, each with a default
    model: nn.Module,
    optimizer: Optimizer | Sequence[Optimizer],
    fault: str | Sequence[str],
    *,
    at: int = 500,
    every: int | None = None,
    times: int = 1,
    duration: float | None = None,
    seed: int = 0,
    **settings: Any,
) -> Injection:
    """Make a training run sick on purpose, in a way that is known: the ground truth for a doctor.

    The injection is a context manager, or is ended by `.close()`; then nothing of it is left in
    the model and in the optimizer. Before its first step the run is bit for bit what it would be
    without. The user's random numbers are never drawn from. Setting the environment variable
    `PARAMEDIC=off` leaves the run as it is.

    Args:
        model: what is trained.
        optimizer: the optimizer, or a list of them; their steps are counted, from 0.
        fault: the name of a fault, or several names for faults that come together.
        at: the step at which it begins.
        every: the number of steps from one occasion to the next.
        times: how many occasions there are at most.
        duration: how many steps an occasion lasts; `math.inf` is to the end. If it is not given,
            gradients, one batch and a NaN are hit for one step, and what is a state of the run (a
            rate, a mode, dead units …) lasts to the end.
        seed: of the fault's own random numbers.
        settings: of the faults, such as `factor` or `layers`; each goes to the faults that have
            it.

    Example:
        >>> with paramedic.inject(model, optimizer, "gradient-explosion", at=500):  # doctest: +SKIP
        ...     train(model, optimizer)
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"`model` must be an `nn.Module` but got {type(model).__name__}.")
    optimizers = _listed(optimizer)
    names = [fault] if isinstance(fault, str) else list(fault)
    plans = []
    for one in choose(names, settings):
        one.check(model)
        timetable = Timetable(at, every, times, _lasting(one) if duration is None else duration)
        plans.append(Plan(one, timetable, torch.Generator().manual_seed(seed)))
    return Injection(model, optimizers, [] if is_off() else plans)


def _lasting(fault: Fault) -> float:
    return math.inf if fault.lasting else 1


def _listed(optimizer: Any) -> list[Optimizer]:
    found = list(optimizer) if isinstance(optimizer, Sequence) else [optimizer]
    for one in found:
        if not isinstance(one, Optimizer):
            kind = type(one).__name__
            raise TypeError(
                f"`optimizer` must be a `torch.optim.Optimizer` or a list of them but got {kind}."
            )
    if not found:
        raise ValueError("`optimizer` must not be an empty list.")
    return found
