"""Every demand of a loss, unmet and met."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from paramedic.checkup.demands import problems
from paramedic.checkup.losses import comparison_of

from .case import Case, labels, normal
from .patients import patient

pytestmark = pytest.mark.usefixtures("as_in_a_check")

X = normal(8, 5)


def told(model: nn.Module, target: Tensor, loss: nn.Module) -> str:
    someone = patient(Case(model, (X, target), loss))
    found = problems(comparison_of(someone), target, someone)
    return " ".join(problem.message for problem in found)


def net(outputs: int, *last: nn.Module) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, outputs), *last)


def test_class_numbers() -> None:
    loss = nn.CrossEntropyLoss()
    assert told(net(3), labels(8, 3), loss) == ""
    assert "from 0 to 3, but 3 outputs" in told(net(3), torch.arange(8) % 4, loss)
    assert "count from 1" in told(net(3), torch.arange(8) % 3 + 1, loss)
    assert "from -1 to" in told(net(3), torch.arange(8) % 4 - 1, loss)
    assert "real numbers" in told(net(3), labels(8, 3).float(), loss)
    assert "always 0" in told(net(1), labels(8, 1), loss)
    assert "Every label is -100" in told(net(3), torch.full((8,), -100), loss)
    assert (
        told(net(3), torch.where(labels(8, 3) == 0, 255, 1), nn.CrossEntropyLoss(ignore_index=255))
        == ""
    )


def test_shares_of_classes() -> None:
    loss = nn.CrossEntropyLoss()
    assert told(net(3), normal(8, 3).softmax(1), loss) == ""
    assert "sum to between" in told(net(3), normal(8, 3).sigmoid(), loss)


def test_the_last_activation_before_classes() -> None:
    assert "softmax comes before" in told(
        net(3, nn.Softmax(1)), labels(8, 3), nn.CrossEntropyLoss()
    )
    assert told(net(3, nn.LogSoftmax(1)), labels(8, 3), nn.CrossEntropyLoss()) == ""
    assert told(net(3, nn.LogSoftmax(1)), labels(8, 3), nn.NLLLoss()) == ""
    assert "gets raw scores" in told(net(3), labels(8, 3), nn.NLLLoss())
    assert "gets probabilities" in told(net(3, nn.Softmax(1)), labels(8, 3), nn.NLLLoss())


def test_binary_labels() -> None:
    half = torch.full((8, 1), 0.5)
    assert told(net(1), half, nn.BCEWithLogitsLoss()) == ""
    assert "wants them from 0 to 1" in told(net(1), half + 1, nn.BCEWithLogitsLoss())
    assert "shape" in told(net(1), half[:, 0], nn.BCEWithLogitsLoss())


def test_the_last_activation_before_binary_losses() -> None:
    half = torch.full((8, 1), 0.5)
    assert "its own sigmoid" in told(net(1, nn.Sigmoid()), half, nn.BCEWithLogitsLoss())
    assert told(net(1, nn.Sigmoid()), half, nn.BCELoss()) == ""
    assert "sigmoid is missing" in told(net(1), half, nn.BCELoss())
    lucky = nn.Linear(5, 1)
    nn.init.zeros_(lucky.weight)
    nn.init.constant_(lucky.bias, 0.5)
    assert "last operation is a linear layer" in told(lucky, half, nn.BCELoss())


def test_shapes_of_numbers() -> None:
    assert told(net(2), normal(8, 2), nn.MSELoss()) == ""
    assert "become [8, 8]" in told(net(1), normal(8), nn.L1Loss())
    assert "the target [8, 3]" in told(net(2), normal(8, 3), nn.MSELoss())


def test_targets_that_are_not_numbers() -> None:
    target = normal(8, 2)
    target[1] = torch.nan
    assert "12.5 % of the targets are NaN" in told(net(2), target, nn.MSELoss())
