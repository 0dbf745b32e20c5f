from __future__ import annotations

import copy

import pytest
import torch

import paramedic
from paramedic.inject.fault import InjectionError

from ..patients import data, momentum, net
from .acting import given


def test_each_sample_is_mixed_with_its_neighbour() -> None:
    inputs = torch.tensor([[0.0], [10.0], [20.0]])
    assert given("leaking-batches", inputs).flatten().tolist() == [10, 5, 15]
    assert given("leaking-batches", inputs, share=1.0).flatten().tolist() == [20, 0, 10]


def test_tokens_are_exchanged() -> None:
    inputs = torch.tensor([[1, 2, 3], [4, 5, 6]])
    assert given("leaking-batches", inputs).tolist() == [[4, 2, 6], [1, 5, 3]]


def test_a_single_sample_has_no_neighbour() -> None:
    inputs = torch.ones(1, 3)
    assert torch.equal(given("leaking-batches", inputs), inputs)


def test_what_is_said_of_one_depends_on_another_also_in_a_copy() -> None:
    model = net().eval()
    x, _ = data(4)
    other = x.clone()
    other[0] += 1
    with paramedic.inject(model, momentum(model), "leaking-batches", at=0), torch.no_grad():
        for one in (model, copy.deepcopy(model)):
            assert not torch.equal(one(x)[1], one(other)[1])
            assert torch.equal(one(x)[2], one(other)[2])
    assert torch.equal(model(x)[1], model(other)[1])


def test_a_share_is_a_share() -> None:
    model = net()
    with pytest.raises(InjectionError, match="`share` must be above 0 and at most 1"):
        paramedic.inject(model, momentum(model), "leaking-batches", share=2)
