"""What was watched is freed by counting references alone, as soon as watching is over."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import paramedic
from paramedic.probe.monitor import Monitor


@pytest.fixture
def _counted() -> Iterator[None]:
    torch.optim.Adam(nn.Linear(1, 1).parameters()).step()  # torch imports more the first time
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _train(steps: int = 20, **options: Any) -> tuple[Monitor, nn.Module, torch.optim.Optimizer]:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters())
    monitor = paramedic.watch(model, optimizer, trace=None, **options)
    for _ in range(steps):
        optimizer.zero_grad()
        F.mse_loss(model(torch.randn(3, 4)), torch.zeros(3, 2)).backward()
        optimizer.step()
    return monitor, model, optimizer


OPTIONS: list[dict[str, Any]] = [
    {},
    {"overhead": None},
    {"overhead": 1e-6},  # closed while nobody looks
    {"on_nan": "replay"},
    {"treat": "auto"},
    {"loss_fn": nn.MSELoss()},
]


@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_all_is_freed_after_closing(options: dict[str, Any]) -> None:
    monitor, model, optimizer = _train(**options)
    assert monitor.findings is not None
    monitor.close()
    left = [weakref.ref(one) for one in (monitor, model, optimizer, model[0].weight)]
    del monitor, model, optimizer
    assert [one() for one in left] == [None] * 4


@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize("options", OPTIONS[:4], ids=str)
def test_a_closed_monitor_can_be_kept_without_its_model(options: dict[str, Any]) -> None:
    monitor, model, optimizer = _train(**options)
    monitor.close()
    told = monitor.last_step, len(monitor.window()), monitor.verdict, monitor.chart
    left = [weakref.ref(one) for one in (model, optimizer, model[0].weight)]
    del model, optimizer
    assert [one() for one in left] == [None] * 3
    assert told == (monitor.last_step, len(monitor.window()), monitor.verdict, monitor.chart)
    assert monitor.last_step == 19


@pytest.mark.usefixtures("_counted")
def test_all_is_freed_after_an_error_of_the_users() -> None:
    def program() -> list[weakref.ref[Any]]:
        monitor, model, optimizer = _train(3)
        with pytest.raises(RuntimeError), monitor:
            model(torch.ones(2, 4)).backward()  # no number
        return [weakref.ref(one) for one in (monitor, model, optimizer)]

    assert [one() for one in program()] == [None] * 3


@pytest.mark.usefixtures("_counted")
def test_all_is_freed_where_watching_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAMEDIC", "off")
    monitor, model, optimizer = _train(3)
    monitor.close()
    left = [weakref.ref(one) for one in (monitor, model, optimizer)]
    del monitor, model, optimizer
    assert [one() for one in left] == [None] * 3
