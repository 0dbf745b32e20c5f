from __future__ import annotations

import torch
from torch import nn

from paramedic.checkup.variation import difference, redrawn, shaken

from .case import labels, normal


def test_tokens_are_all_other_tokens_of_the_vocabulary() -> None:
    tokens = labels(1000, 7)
    new = redrawn(tokens, 7)
    assert not (new == tokens).any()
    assert new.min() >= 0
    assert new.max() <= 6
    assert redrawn(torch.zeros(3, dtype=torch.long)).tolist() == [0, 0, 0]


def test_real_numbers_change_places() -> None:
    values = normal(50, 3)
    new = redrawn(values)
    assert not torch.equal(new, values)
    assert torch.equal(new.flatten().sort().values, values.flatten().sort().values)
    assert not torch.equal(redrawn(torch.ones(4)), torch.ones(4))


def test_truth_values_are_turned_around() -> None:
    assert redrawn(torch.tensor([True, False])).tolist() == [False, True]


def test_shaking_moves_what_is_zero_too() -> None:
    model = nn.Linear(50, 50)
    nn.init.zeros_(model.bias)
    before = model.weight.clone()
    shaken(model, 0.5)
    assert model.bias.abs().min() > 0
    change = (model.weight - before).std() / before.std()
    assert 0.4 < float(change) < 0.6


def test_difference_is_in_units_of_the_scale() -> None:
    one, other = torch.tensor([1000.0, 1.0]), torch.tensor([1000.0, 2.0])
    assert difference(one, other).tolist() == [0.0, 0.001]
    bad = torch.tensor([torch.nan, torch.inf])
    assert difference(bad, bad).tolist() == [0.0, 0.0]
    assert difference(bad, one).tolist() == [torch.inf, torch.inf]
    assert difference(torch.zeros(2), torch.zeros(2)).tolist() == [0.0, 0.0]
