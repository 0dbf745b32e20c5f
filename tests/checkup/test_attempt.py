from __future__ import annotations

import math
import time

import pytest
import torch
from torch import Tensor, nn

from paramedic.checkup.attempt import Attempt, without_dropout
from paramedic.checkup.check import Skip

from .case import Case, labels, normal
from .patients import patient
from .sound import mlp

pytestmark = pytest.mark.usefixtures("as_in_a_check")


def attempt(model: nn.Module, rate: float = 3e-3) -> Attempt:
    someone = patient(Case(model, (normal(6, 5), labels(6, 3)), nn.CrossEntropyLoss()))
    return Attempt(someone, someone.batch, rate)


def test_it_ends_at_the_goal() -> None:
    one = attempt(mlp(5, 3))
    one.run(0.5, 0.01, time.monotonic() + 60)
    assert one.lowest <= 0.5
    assert one.steps < 120
    assert not one.is_stuck


def test_it_ends_when_it_stands_still() -> None:
    class Deaf(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(5, 3)

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(0 * x)

    one = attempt(Deaf(), rate=3e-2)
    one.run(0.1, 0.01, time.monotonic() + 60)
    assert one.is_stuck
    assert one.lowest > 0.5


def test_it_ends_when_the_time_is_over() -> None:
    one = attempt(mlp(5, 3))
    one.run(0.0, 0.0, time.monotonic())
    assert len(one.losses) == 1
    assert one.expected == -math.inf


def test_a_loss_that_is_not_finite_any_more() -> None:
    one = attempt(mlp(5, 3))
    one.losses = [1.0, math.nan]
    assert one.is_broken
    assert one.lowest == 1.0


def test_no_parameters_and_no_graph() -> None:
    with pytest.raises(Skip, match="no trainable parameter"):
        attempt(mlp(5, 3).requires_grad_(False)).run(0, 0, math.inf)


def test_dropout_is_switched_off() -> None:
    model = nn.Sequential(nn.Dropout(0.9), nn.LSTM(2, 2, 2, dropout=0.5))
    without_dropout(model.train())
    assert torch.equal(model[0](torch.ones(50)), torch.ones(50))
    assert model[1].dropout == 0
