from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.checkup.perfection import best_possible

from .case import Case, labels, normal
from .patients import patient

pytestmark = pytest.mark.usefixtures("as_in_a_check")

X, Y = normal(8, 5), labels(8, 3)


def best(loss: Any, target: Tensor, model: nn.Module | None = None) -> float | None:
    someone = patient(Case(model or nn.Linear(5, 3), (X, target), loss))
    return best_possible(someone, someone.batch)


def test_hard_targets_can_be_met() -> None:
    assert best(nn.CrossEntropyLoss(), Y) == pytest.approx(0, abs=1e-6)
    assert best(nn.MSELoss(), normal(8, 3)) == 0
    assert best(nn.BCEWithLogitsLoss(), (normal(8, 3) > 0).float()) == pytest.approx(0, abs=1e-5)
    squashed = nn.Sequential(nn.Linear(5, 3), nn.LogSoftmax(1))
    assert best(nn.NLLLoss(), Y, squashed) == pytest.approx(0, abs=1e-6)


def test_soft_targets_leave_a_rest() -> None:
    entropy = -(0.3 * torch.tensor(0.3).log() + 0.7 * torch.tensor(0.7).log())
    assert best(nn.BCEWithLogitsLoss(), torch.full((8, 3), 0.3)) == pytest.approx(float(entropy))
    shares = torch.softmax(normal(8, 3), 1)
    expected = float(-(shares * shares.log()).sum(1).mean())
    assert best(nn.CrossEntropyLoss(), shares) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("smoothing", [0.1, 0.3])
def test_smoothed_labels_leave_a_rest(smoothing: float) -> None:
    found = best(functools.partial(F.cross_entropy, label_smoothing=smoothing), Y)
    low, high = smoothing / 3, 1 - smoothing + smoothing / 3
    entropy = -high * torch.tensor(high).log() - 2 * low * torch.tensor(low).log()
    assert found is not None
    assert float(entropy) <= found < 1.1 * float(entropy)


def test_unknown_losses_and_shapes_that_differ() -> None:
    assert best(lambda o, t: o.square().mean() + 3, Y) is None
    assert best(nn.MSELoss(), normal(8, 1)) is None
