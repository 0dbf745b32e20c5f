from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import paramedic
from paramedic.inject.fault import InjectionError

from ..patients import data, momentum, net


def test_the_first_half_gets_gradients_and_stands_still() -> None:
    model = net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    x, y = data(32)
    before = {name: value.clone() for name, value in model.named_parameters()}
    with paramedic.inject(model, optimizer, "untrained-parameters", at=0) as injection:
        for _ in range(3):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            gradients = {name: value.grad for name, value in model.named_parameters()}
            optimizer.step()
            for name, value in model.named_parameters():
                assert value.grad is gradients[name]
                assert value.grad is not None
    for name, value in model.named_parameters():
        assert torch.equal(value, before[name]) == name.startswith(("0.", "1.")), name
    assert injection.log == [(0, "untrained-parameters: `0`, `1` kept from the optimizer")]


def test_the_layers_that_are_named() -> None:
    model = net()
    optimizer = momentum(model)
    before = model[7].weight.clone()
    with paramedic.inject(model, optimizer, "frozen-layers", at=0, layers=["7"]):
        model(data(8)[0]).pow(2).sum().backward()
        optimizer.step()
    assert torch.equal(model[7].weight, before)


def test_a_single_layer_cannot_be_halved() -> None:
    model = nn.Linear(2, 2)
    with pytest.raises(InjectionError, match="fewer than two layers"):
        paramedic.inject(model, momentum(model), "untrained-parameters")
