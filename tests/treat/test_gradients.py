"""Steps without gradients, or with smaller ones."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from paramedic.treat.gradients import Withheld, shrink


def _trained(kind: Any, **options: Any) -> tuple[nn.Module, torch.optim.Optimizer]:
    model = nn.Linear(3, 2)
    optimizer = kind(model.parameters(), lr=0.1, **options)
    for _ in range(3):
        model.zero_grad()
        model(torch.ones(4, 3)).pow(2).sum().backward()
        optimizer.step()
    model.zero_grad()
    model(torch.ones(4, 3)).pow(2).sum().backward()
    return model, optimizer


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.1}),
        (torch.optim.AdamW, {}),
        (torch.optim.AdamW, {"foreach": False}),
        (torch.optim.AdamW, {"fused": True}),
        (torch.optim.RMSprop, {}),
        (torch.optim.Adagrad, {}),
    ],
)
def test_a_step_without_gradients_changes_nothing(kind: Any, options: dict[str, Any]) -> None:
    model, optimizer = _trained(kind, **options)
    before = [one.clone() for one in model.parameters()]
    states = [
        value.clone() for state in optimizer.state.values() for value in state.values()
        if isinstance(value, torch.Tensor)
    ]  # fmt: skip
    grads = [one.grad for one in model.parameters()]
    withheld = Withheld()
    withheld.take(optimizer)
    optimizer.step()
    withheld.give_back()
    assert all(map(torch.equal, before, model.parameters()))
    after = [
        value for state in optimizer.state.values() for value in state.values()
        if isinstance(value, torch.Tensor)
    ]  # fmt: skip
    assert all(map(torch.equal, states, after))
    for one, grad in zip(model.parameters(), grads, strict=True):
        assert one.grad is grad
        assert not grad.any()


def test_nan_gradients_come_back_as_zeros() -> None:
    model, optimizer = _trained(torch.optim.SGD)
    for one in model.parameters():
        one.grad.fill_(float("nan"))
    withheld = Withheld()
    withheld.take(optimizer)
    withheld.give_back()
    assert all(not one.grad.any() for one in model.parameters())


def test_somebody_else_put_a_gradient_there_meanwhile() -> None:
    model, optimizer = _trained(torch.optim.SGD)
    withheld = Withheld()
    withheld.take(optimizer)
    model.bias.grad = torch.ones(2)
    withheld.give_back()
    assert torch.equal(model.bias.grad, torch.ones(2))


def test_shrinking() -> None:
    model, optimizer = _trained(torch.optim.SGD)
    before = [one.grad.clone() for one in model.parameters()]
    shrink(optimizer, 0.25)
    for one, grad in zip(model.parameters(), before, strict=True):
        assert torch.equal(one.grad, 0.25 * grad)
