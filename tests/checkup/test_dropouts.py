from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.checkup.dropouts import Randomness

from .case import normal


def watched(model: nn.Module) -> Randomness:
    seen = Randomness(model)
    with torch.no_grad(), seen.place.followed(), seen:
        model(normal(4, 6))
    return seen


def test_dropout_of_modules_follows_the_mode() -> None:
    model = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.5))
    assert watched(model.train()).dropouts == ["1"]
    assert watched(model.eval()).dropouts == []


class Functional(nn.Module):
    def __init__(self, probability: float) -> None:
        super().__init__()
        self.probability = probability

    def forward(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.probability)


@pytest.mark.parametrize(("probability", "count"), [(0.5, 1), (0.0, 0)])
def test_functional_dropout(probability: float, count: int) -> None:
    assert len(watched(Functional(probability).eval()).dropouts) == count


def test_draws_are_no_dropout() -> None:
    class Noisy(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + torch.randn_like(x)

    seen = watched(Noisy())
    assert seen.draws
    assert not seen.dropouts


def test_batch_norms_with_the_statistics_of_the_batch() -> None:
    model = nn.BatchNorm1d(6)
    assert watched(model.train()).batch_norms
    assert not watched(model.eval()).batch_norms
