from __future__ import annotations

import torch
from torch import nn

from paramedic.run.pairing import LooseParameters, held, leaves, outermost, owners, pairs


def _sgd(*modules: nn.Module) -> torch.optim.SGD:
    return torch.optim.SGD([p for one in modules for p in one.parameters()], lr=0.1)


def test_the_outermost_module_owns() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    assert outermost([net[0], net[1], net]) == [net]
    assert owners(held([_sgd(net[1])]), [net]) == ([net], [])


def test_of_two_that_share_the_called_one_is_taken() -> None:
    body = nn.Linear(2, 2)
    one, two = nn.Sequential(body), nn.Sequential(body, nn.Linear(2, 2))
    assert owners(held([_sgd(one)]), [one, two], called=one)[0] == [one]
    assert owners(held([_sgd(two)]), [one, two])[0] == [two]


def test_tensors_that_nobody_owns() -> None:
    weight = torch.zeros(3, requires_grad=True)
    models, loose = owners(held([torch.optim.SGD([weight], lr=0.1)]), [])
    assert models == []
    assert loose == [weight]
    assert list(LooseParameters(loose).parameters()) == [weight]


def test_pairs_are_told_apart() -> None:
    one, two, three = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)
    optimizers = [_sgd(one), _sgd(two), _sgd(one, three)]
    owned = {id(optimizers[0]): [one], id(optimizers[1]): [two], id(optimizers[2]): [one, three]}
    found = pairs(owned, optimizers)
    assert [pair.models for pair in found] == [[two], [one, three]]
    assert found[1].optimizers == [optimizers[0], optimizers[2]]


def test_what_a_loss_depends_on() -> None:
    one, two = nn.Linear(2, 2), nn.Linear(2, 2)
    loss = two(one(torch.ones(1, 2)).detach()).sum()
    assert leaves([loss]) == {id(two.weight), id(two.bias)}
