"""Trainings that move from thread to thread, and backward passes of others in other threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

import paramedic
from paramedic.probe.layers import Layers
from paramedic.probe.strangers import Strangers

STEPS = 60


def _elsewhere(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_the_graph_is_walked_ever_more_rarely() -> None:
    ours, other = nn.Linear(2, 1), nn.Linear(2, 1)
    strangers = Strangers(Layers({"": ours}, [torch.optim.SGD(ours.parameters(), 0.1)]))
    x = torch.ones(1, 2)
    assert strangers.is_ours([ours(x)])
    assert [strangers.is_ours([other(x)]) for _ in range(2)] == [False, False]
    assert not strangers.is_ours([ours(x)])  # the third is not asked
    assert strangers.is_ours([ours(x)])


def _step(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    optimizer.zero_grad()
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()


def test_each_step_in_another_thread() -> None:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with paramedic.watch(model, optimizer, overhead=0.01) as monitor:
        for _ in range(STEPS):
            _elsewhere(lambda: _step(model, optimizer))
    losses = monitor.window().pulse.loss
    assert len(losses) == STEPS
    assert np.isfinite(losses).all()


def test_a_pool_of_threads_that_take_turns() -> None:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    pools = [ThreadPoolExecutor(1) for _ in range(3)]
    with paramedic.watch(model, optimizer, overhead=0.01) as monitor:
        for step in range(STEPS):
            pools[step % 3].submit(_step, model, optimizer).result()
    for pool in pools:
        pool.shutdown()
    assert np.isfinite(monitor.window().pulse.loss).sum() == STEPS


def test_a_pass_of_somebody_else_beside_it_changes_nothing() -> None:
    model, other = nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with paramedic.watch(model, optimizer, overhead=0.01) as monitor:
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = model(torch.randn(8, 4)).square().mean()
            loss.backward()
            _elsewhere(lambda: (other(torch.ones(1, 4)).sum() * 1e9).backward())
            optimizer.step()
    assert monitor.last_step == STEPS - 1
    assert np.nanmax(monitor.window().pulse.loss) < 1e6
