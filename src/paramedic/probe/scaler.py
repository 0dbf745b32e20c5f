"""Seeing what a `GradScaler` does: the scale it put on the gradients, and the steps it skips.

On exactly the steps that matter most, those with an infinite gradient, the scaler does not call
`optimizer.step`, so no hook of the optimizer fires. While somebody is watching,
`torch.amp.GradScaler.step` is wrapped.
"""

from __future__ import annotations

import threading
from typing import Any, Protocol

import torch
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

from paramedic.probe.compiler import never_traced
from paramedic.probe.isolation import isolated
from paramedic.probe.watchpoint import Watchpoint


class ScalerObserver(Protocol):
    """Is told of each `GradScaler.step`."""

    def before_scaled_step(self, optimizer: Optimizer, scale: float) -> None: ...

    def after_scaled_step(self, optimizer: Optimizer, *, skipped: bool) -> None: ...


class _AtWork(threading.local):
    """The scaler whose step this thread is in."""

    scaler: GradScaler | None = None


_at_work = _AtWork()


def scaler_at_work() -> GradScaler | None:
    """The scaler of whose step observers are being told."""
    return _at_work.scaler


@never_traced
def _observed_step(self: GradScaler, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
    observers = scaled_steps.observers
    if not observers or not self.is_enabled() or scaled_steps.inside.now:
        return scaled_steps.call(self, optimizer, *args, **kwargs)
    _at_work.scaler = self
    try:
        scale = self.get_scale()
        for observer in observers:
            observer.before_scaled_step(optimizer, scale)
        result = scaled_steps.call(self, optimizer, *args, **kwargs)
        skipped = False
        with isolated("scaler"):
            skipped = _found_inf(self, optimizer)
        for observer in observers:
            observer.after_scaled_step(optimizer, skipped=skipped)
    finally:
        _at_work.scaler = None
    return result


def _found_inf(scaler: GradScaler, optimizer: Optimizer) -> bool:
    """Whether the step just taken found an infinity: the scaler keeps it until `update`."""
    state = scaler._per_optimizer_states[id(optimizer)]
    found: dict[Any, torch.Tensor] = state["found_inf_per_device"]
    return any(bool(flag.item()) for flag in found.values())


scaled_steps: Watchpoint[ScalerObserver] = Watchpoint(GradScaler, "step", _observed_step)
