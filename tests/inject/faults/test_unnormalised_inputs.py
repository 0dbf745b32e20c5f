from __future__ import annotations

import pytest
import torch

import paramedic
from paramedic.inject.fault import InjectionError

from ..patients import train
from .acting import given


def test_another_scale() -> None:
    inputs = torch.randn(8, 3)
    assert torch.equal(given("unnormalised-inputs", inputs), inputs * 100 + 128)
    assert torch.equal(given("unnormalised-inputs", inputs, factor=2, offset=1), inputs * 2 + 1)


def test_tokens_have_no_scale() -> None:
    inputs = torch.arange(4)
    assert torch.equal(given("unnormalised-inputs", inputs), inputs)


def test_that_is_said_when_steps_go_by() -> None:
    model = torch.nn.Sequential(torch.nn.Embedding(10, 4), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with (
        pytest.raises(InjectionError, match="not called with real numbers"),
        paramedic.inject(model, optimizer, "unnormalised-inputs", at=0),
    ):
        _train(model, optimizer)


def _train(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    for _ in range(2):
        model(torch.arange(4)).sum().backward()
        optimizer.step()


def test_it_lasts() -> None:
    run = train(8, "unnormalised-inputs", at=3, watch="before")
    assert (run.monitor.window().scalar("input_mean") > 50).nonzero()[0].tolist() == [3, 4, 5, 6, 7]
