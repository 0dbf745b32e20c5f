"""What a heal comes to does not depend on how fast the machine is."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable

import pytest
import torch
from torch import nn

from paramedic.treat.heal.healing import heal
from paramedic.treat.plan import Plan
from tests.treat.plans import network, plan, points

_CLOCKS = ("perf_counter", "monotonic", "thread_time", "process_time")


def _sick() -> Plan:
    """Inputs far out of scale, some of them NaN: many remedies have a say."""
    x, y = points()
    x = 500 * x + 3000
    x[::50, 0] = torch.nan
    validation, labels = points(128, seed=1)
    return plan(
        model=network(nn.Tanh),
        train=(x, y),
        validation=(500 * validation + 3000, labels),
        optimizer=(torch.optim.SGD, {"lr": 0.1}),
        epochs=4,
    )


def _clock(seconds: float) -> Callable[[], float]:
    """A clock that moves on by so many seconds whenever it is looked at."""
    ticks = itertools.count()
    return lambda: next(ticks) * seconds


def _on_a_machine(patch: pytest.MonkeyPatch, seconds: float) -> dict[str, object]:
    ours = [module for name, module in sys.modules.items() if name.startswith("paramedic.")]
    for name in _CLOCKS:
        clock = _clock(seconds)
        patch.setattr(time, name, clock)
        for module in ours:
            if hasattr(module, name):
                patch.setattr(module, name, clock)
    return heal(_sick()).to_json()


def test_a_slow_machine_comes_to_the_same_outcome() -> None:
    with pytest.MonkeyPatch.context() as patch:
        fast = _on_a_machine(patch, 1e-7)
    with pytest.MonkeyPatch.context() as patch:
        slow = _on_a_machine(patch, 10.0)
    assert fast == slow
    assert len(fast["attempts"]) > 2  # type: ignore[arg-type]
