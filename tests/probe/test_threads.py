"""Several threads that each train a model: nobody is hurt, and nobody hears the others."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import paramedic
from paramedic.probe.monitor import Monitor

STEPS = 60


def _pair(seed: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    return model, torch.optim.SGD(model.parameters(), lr=0.01 * (seed + 1))


def _train(model: nn.Module, optimizer: torch.optim.Optimizer, seed: int) -> list[float]:
    losses, generator = [], torch.Generator().manual_seed(seed)
    for _ in range(STEPS):
        optimizer.zero_grad()
        target = torch.full((6,), seed % 2)
        loss = F.cross_entropy(model(torch.randn(6, 4, generator=generator)), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def _together(work: Callable[[int], Any], count: int = 4) -> list[Any]:
    results: list[Any] = [None] * count
    start = threading.Barrier(count)

    def run(place: int) -> None:
        start.wait()
        results[place] = work(place)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def _check(monitor: Monitor, losses: list[float]) -> None:
    assert monitor.not_checked == {}
    assert monitor.last_step == STEPS - 1
    assert monitor.window().pulse.loss.tolist() == pytest.approx(losses, rel=1e-5)
    assert monitor.chart.accumulate == 1


@pytest.mark.parametrize("overhead", [None, 0.01])
def test_each_thread_watches_its_own(overhead: float | None) -> None:
    def work(seed: int) -> tuple[Monitor, list[float]]:
        pair = _pair(seed)
        with paramedic.watch(*pair, trace=None, overhead=overhead) as monitor:
            return monitor, _train(*pair, seed)

    for monitor, losses in _together(work):
        _check(monitor, losses)


@pytest.mark.parametrize("overhead", [None, 0.01])
def test_all_are_watched_in_the_main_thread(overhead: float | None) -> None:
    pairs = [_pair(seed) for seed in range(4)]
    monitors = [paramedic.watch(*pair, trace=None, overhead=overhead) for pair in pairs]
    losses = _together(lambda seed: _train(*pairs[seed], seed))
    for monitor, seen in zip(monitors, losses, strict=True):
        monitor.close()
        _check(monitor, seen)


def test_hooks_that_come_and_go_elsewhere_hurt_nobody() -> None:
    """A thread that only calls models is in the middle of a call when another puts its hook up."""
    over = threading.Event()
    errors: list[Exception] = []

    def call() -> None:
        model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(20)))
        try:
            while not over.is_set():
                model(torch.ones(2, 4))
        except Exception as error:  # noqa: BLE001 - whatever it is
            errors.append(error)

    callers = [threading.Thread(target=call) for _ in range(3)]
    for caller in callers:
        caller.start()
    for seed in range(3):
        pair = _pair(seed)
        with paramedic.watch(*pair, trace=None, overhead=0.01):
            _train(*pair, seed)
    over.set()
    for caller in callers:
        caller.join()
    assert errors == []
