from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.treat.leaps import Leaps
from tests.diagnose.test_jumps import ALONE, told


def _net() -> nn.Module:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2), nn.Linear(2, 1))
    net(torch.ones(1, 2)).sum().backward()
    return net


MOVES = {"0": 1.1, "2": 20.0, "3": 1.0}
UP = {"2": [40.0, 2.0, 9.0]}


def test_a_layer_that_leapt_by_itself_gets_its_usual_size() -> None:
    leaps = Leaps({"": _net()})
    assert leaps.factors(told(**ALONE, up=UP, moves=MOVES)) == {"2": pytest.approx(0.05)}


def test_what_passed_through_the_net_is_left_alone() -> None:
    natural = told(**ALONE, up=UP, moves={**MOVES, "0": 30.0})
    assert Leaps({"": _net()}).factors(natural) == {}
    assert Leaps({"": _net()}).factors(told()) == {}


def test_only_that_layer_is_made_smaller() -> None:
    net = _net()
    before = {name: one.grad.clone() for name, one in net.named_parameters()}
    Leaps({"": net}).shrink({"2": 0.5})
    for name, one in net.named_parameters():
        torch.testing.assert_close(one.grad, before[name] * (0.5 if name[0] == "2" else 1.0))


def test_layers_of_several_models_are_told_apart() -> None:
    one, other = _net(), _net()
    leaps = Leaps({"one": one, "other": other})
    moves = {f"{model}.{name}": move for model in ("one", "other") for name, move in MOVES.items()}
    moves["one.2"] = 1.0
    event = told(**ALONE, up={"other.2": [40.0, 2.0, 9.0]}, moves=moves)
    assert list(leaps.factors(event)) == ["other.2"]
    leaps.shrink({"other.2": 0.0})
    assert float(other[2].weight.grad.abs().sum()) == 0
    assert float(one[2].weight.grad.abs().sum()) > 0


def test_a_layer_that_is_gone_is_left_out() -> None:
    event = told(**ALONE, up={"gone": [40.0, 2.0, 9.0]}, moves={"gone": 20.0})
    assert Leaps({"": _net()}).factors(event) == {}
