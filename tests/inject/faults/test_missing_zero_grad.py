from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import paramedic

from ..patients import data, momentum, net


@pytest.mark.parametrize(
    "clear",
    [
        lambda model, optimizer: optimizer.zero_grad(),
        lambda model, optimizer: optimizer.zero_grad(set_to_none=False),
        lambda model, optimizer: model.zero_grad(),
    ],
)
def test_gradients_stay(clear: Callable[[Any, Any], None]) -> None:
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    x, _ = data(8)
    sums = []
    with paramedic.inject(model, optimizer, "missing-zero-grad", at=2, duration=3) as injection:
        for _ in range(7):
            clear(model, optimizer)
            model(x).sum().backward()
            sums.append(model[7].bias.grad[0].item())
            optimizer.step()
    assert sums == [8, 8, 16, 24, 32, 8, 8]
    assert injection.log == [(2, "missing-zero-grad: `zero_grad` left out")]


def test_optimizer_and_model_have_their_own_again() -> None:
    model = net()
    optimizer = momentum(model)
    with paramedic.inject(model, optimizer, "missing-zero-grad", at=0):
        assert "zero_grad" in vars(model)
    assert "zero_grad" not in vars(model)
    assert "zero_grad" not in vars(optimizer)
