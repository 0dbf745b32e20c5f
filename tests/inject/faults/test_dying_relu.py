from __future__ import annotations

import pytest
import torch
from torch import nn

import paramedic
from paramedic.inject.fault import InjectionError

from ..patients import data, momentum, net, train


def test_the_biases_before_rectifiers_are_pushed_and_pushed_back() -> None:
    model = net()
    before = {name: value.clone() for name, value in model.named_parameters()}
    with paramedic.inject(model, momentum(model), "dying-relu", at=0) as injection:
        for name, value in model.named_parameters():
            pushed = 10 if name in ("1.bias", "5.bias") else 0
            assert torch.equal(value, before[name] - pushed), name
        assert model[:3](data(64)[0]).max().item() == 0
    assert injection.log == [(0, "dying-relu: the biases of `1`, `5` lowered by 10")]
    for name, value in model.named_parameters():
        assert torch.equal(value, before[name]), name


def test_what_was_learned_meanwhile_stays() -> None:
    model = net()
    before = model[5].bias.clone()
    with paramedic.inject(model, momentum(model), "dying-relu", at=0, layers="5"), torch.no_grad():
        model[5].bias += 0.25
    torch.testing.assert_close(model[5].bias.detach(), before + 0.25)


def test_units_die_at_the_step_that_was_asked() -> None:
    run = train(8, "dying-relu", at=4, watch="before")
    dead = run.monitor.window().layer("act_dead")
    rows = [place for place, name in enumerate(run.monitor.window().names) if name in ("2", "6")]
    assert (dead[:4, rows] < 0.6).all()
    assert (dead[4:, rows] == 1).all()


def test_what_cannot_die_is_said() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.GELU(), nn.Linear(2, 2, bias=False), nn.ReLU())
    nn.init.zeros_(model[0].bias)
    optimizer = momentum(model)
    silent = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU())
    with pytest.raises(InjectionError, match=r"no `nn\.ReLU` behind a layer with a bias"):
        paramedic.inject(silent, optimizer, "dying-relu")
    with pytest.raises(InjectionError, match="The module `2` has no bias"):
        paramedic.inject(model, optimizer, "dying-relu", layers="2")
