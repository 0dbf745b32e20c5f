from __future__ import annotations

import pytest
import torch
from torch import nn

import paramedic
from paramedic.inject.fault import InjectionError

from ..patients import data, momentum, net, train


def test_hidden_pre_activations_are_scaled() -> None:
    model = nn.Sequential(
        nn.Linear(12, 8), nn.Tanh(), nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 1), nn.Sigmoid()
    )
    x, _ = data(8)
    with torch.no_grad():
        first = torch.tanh(1000 * model[0](x))
        expected = model[5](model[4](torch.sigmoid(1000 * model[2](first))))
    with paramedic.inject(
        model, momentum(model), "saturated-activation", at=0, factor=1000
    ) as injection:
        assert torch.equal(model(x), expected)
        with torch.no_grad():
            assert torch.equal(model(x), expected)
    what = "saturated-activation: the pre-activations of `1`, `3` times 1000"
    assert injection.log == [(0, what)]


def test_the_output_of_a_layer_before_a_function() -> None:
    model = net()
    x, _ = data(8)
    with paramedic.inject(model, momentum(model), "saturated-activation", at=0, layers="3"):
        scaled = model[:4](x)
    assert torch.allclose(scaled, 100 * model[:4](x))


def test_a_monitor_sees_it() -> None:
    run = train(8, "saturated-activation", at=4, watch="before")
    window = run.monitor.window()
    shares = window.layer("act_saturated")[:, window.names.index("4")]
    assert shares[:4].max() < 0.2
    assert shares[4:].min() > 0.8


def test_what_cannot_saturate_is_said() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2), nn.Sigmoid())
    with pytest.raises(InjectionError, match="The model has no hidden "):
        paramedic.inject(model, momentum(model), "saturated-activation")
