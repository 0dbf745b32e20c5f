"""Learning rates times a factor, with schedulers and beside a monitor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.optim import lr_scheduler

import paramedic

from .patients import data, momentum, net, train

SCHEDULERS: dict[str, Callable[[Any], Any]] = {
    "step": lambda optimizer: lr_scheduler.StepLR(optimizer, 2),
    "lambda": lambda optimizer: lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step)),
    "cosine": lambda optimizer: lr_scheduler.CosineAnnealingLR(optimizer, 20),
    "one-cycle": lambda optimizer: lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20),
}


def _rates(schedule: Callable[[Any], Any], fault: bool) -> tuple[list[float], list[float]]:
    """The rates between the steps, and those by which the weights moved."""
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = schedule(optimizer)
    between, used = [], []
    optimizer.register_step_post_hook(
        lambda optimizer, args, kwargs: used.append(optimizer.param_groups[0]["lr"])
    )
    factor = 100.0 if fault else 1.0
    with paramedic.inject(model, optimizer, "learning-rate-too-high", at=3, factor=factor):
        for _ in range(8):
            optimizer.zero_grad()
            x, y = data(8)
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            scheduler.step()
            between.append(optimizer.param_groups[0]["lr"])
    return between, used


@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_scheduler_does_not_notice_and_does_not_undo_it(name: str) -> None:
    planned, ordinary = _rates(SCHEDULERS[name], fault=False)
    between, used = _rates(SCHEDULERS[name], fault=True)
    assert between == planned
    assert used[:3] == ordinary[:3]
    assert used[3:] == pytest.approx([100 * rate for rate in ordinary[3:]])


def test_the_weights_move_by_the_factor() -> None:
    plain: dict[str, Any] = {"make": lambda model: torch.optim.SGD(model.parameters(), lr=2**-6)}
    healthy, sick = train(4, **plain), train(4, "learning-rate-too-high", at=3, factor=64, **plain)
    before = healthy.weights[2]
    parameters = slice(0, 12 * 32)
    moved = (sick.weights[3] - before)[parameters] / (healthy.weights[3] - before)[parameters]
    assert moved.nanmedian().item() == pytest.approx(64, rel=0.02)


@pytest.mark.parametrize("watch", ["before", "after"])
def test_a_monitor_sees_the_rate_that_was_used(watch: str) -> None:
    run = train(6, "learning-rate-too-low", at=3, watch=watch)
    seen = run.monitor.window().scalar("lr/0").tolist()
    assert seen == pytest.approx([0.05, 0.05, 0.05, 5e-5, 5e-5, 5e-5])
    assert run.rates == [0.05] * 6


def test_two_factors_at_once_leave_the_rate_as_it_was() -> None:
    run = train(6, ["learning-rate-too-high", "learning-rate-too-low"], at=3, factor=10.0)
    assert run.rates == [0.05] * 6


def test_a_rate_that_is_a_tensor() -> None:
    model = net()
    rate = torch.tensor(0.1)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    with paramedic.inject(model, optimizer, "learning-rate-too-high", at=0):
        model(data(8)[0]).sum().backward()
        optimizer.step()
    assert optimizer.param_groups[0]["lr"] is rate
    assert rate.item() == pytest.approx(0.1)


def test_an_error_in_the_step_does_not_keep_the_rate() -> None:
    model = net()
    optimizer = momentum(model)

    def fail() -> float:
        raise RuntimeError("no")

    with (
        pytest.raises(RuntimeError, match="no"),
        paramedic.inject(model, optimizer, "learning-rate-too-high", at=0),
    ):
        optimizer.step(fail)
    assert optimizer.param_groups[0]["lr"] == 0.05
