from __future__ import annotations

import functools
import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.checkup.case import Case, labels, normal
from tests.checkup.gpt import GPT, tokens

CHECK = "initial-loss"
X, Y = normal(8, 5), labels(8, 3)


@pytest.mark.parametrize(
    ("loss", "target", "expected"),
    [
        (nn.CrossEntropyLoss(), Y, math.log(3)),
        (nn.CrossEntropyLoss(reduction="sum"), Y, 8 * math.log(3)),
        (nn.CrossEntropyLoss(label_smoothing=0.2), Y, math.log(3)),
        (functools.partial(F.cross_entropy, weight=torch.rand(3)), Y, math.log(3)),
        (nn.BCEWithLogitsLoss(), (normal(8, 3) > 0).float(), math.log(2)),
        (nn.MSELoss(), torch.full((8, 3), 2.0), 4.0),
        (nn.L1Loss(), torch.full((8, 3), -2.0), 2.0),
    ],
)
def test_what_guessing_gives(loss: Any, target: Tensor, expected: float) -> None:
    torch.manual_seed(0)
    entry = Case(nn.Linear(5, 3), (X, target), loss).entry(CHECK)
    assert entry.status == "passed"
    assert entry.measured["expected"] == pytest.approx(expected, rel=1e-5)


def test_probabilities() -> None:
    model = nn.Sequential(nn.Linear(5, 1), nn.Sigmoid())
    entry = Case(model, (X, (X[:, :1] > 0).float()), nn.BCELoss()).entry(CHECK)
    assert entry.measured["expected"] == pytest.approx(math.log(2))


def test_log_probabilities() -> None:
    model = nn.Sequential(nn.Linear(5, 3), nn.LogSoftmax(1))
    entry = Case(model, (X, Y), nn.NLLLoss()).entry(CHECK)
    assert entry.measured["expected"] == pytest.approx(math.log(3))


def test_a_trained_model_is_no_fault() -> None:
    model = nn.Linear(3, 3, bias=False)
    with torch.no_grad():
        model.weight.copy_(20 * torch.eye(3))
    entry = Case(model, (torch.eye(3), torch.arange(3)), nn.CrossEntropyLoss()).entry(CHECK)
    assert entry.status == "passed"
    assert entry.measured["loss"] < 1e-6


def test_an_embedding_of_unit_scale_tied_to_the_head() -> None:
    model = GPT()
    nn.init.normal_(model.token.weight)
    entry = Case(model, tokens()).entry(CHECK)
    assert entry.status == "failed"
    assert entry.measured["expected"] == pytest.approx(math.log(31), rel=1e-5)


def test_losses_that_are_not_known() -> None:
    entry = Case(nn.Linear(5, 3), (X, Y), lambda o, t: o.square().mean() + 1).entry(CHECK)
    assert "not known" in entry.reason


def test_a_loss_that_cannot_be_computed() -> None:
    entry = Case(nn.Linear(5, 3), (X, Y + 9), nn.CrossEntropyLoss()).entry(CHECK)
    assert "The loss cannot be computed" in entry.reason
