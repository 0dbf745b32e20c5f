from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.treat.surgery import Refusal, resize_output
from tests.treat.surgery.architectures import ARCHITECTURES, mlp


def test_only_the_last_layer_is_new() -> None:
    before, x = mlp(), torch.randn(4, 8)
    operation = resize_output(before, x, 7)
    assert operation.model(x).shape == (4, 7)
    assert torch.equal(operation.model[2].weight, before[2].weight)
    assert operation.description == "Gave `4` 7 outputs instead of 3."
    assert operation.code == "model[4] = nn.Linear(16, 7)"


def test_it_is_found_before_an_activation() -> None:
    deep = ARCHITECTURES["deep-sigmoid"]
    assert resize_output(deep.model(), deep.batch(), 5).layers == ("8",)


def test_the_same_seed_gives_the_same_weights() -> None:
    x = torch.randn(4, 8)
    one, same, other = (resize_output(mlp(), x, 5, seed=seed).model[4] for seed in (1, 1, 2))
    assert torch.equal(one.weight, same.weight)
    assert not torch.equal(one.weight, other.weight)


def test_what_does_not_end_in_a_linear_layer_is_refused() -> None:
    with pytest.raises(Refusal, match="does not end in one linear layer"):
        resize_output(nn.Sequential(nn.Conv1d(1, 1, 1)), torch.randn(2, 1, 3), 4)
    with pytest.raises(ValueError, match="at least 1 but got 0"):
        resize_output(mlp(), torch.randn(4, 8), 0)
