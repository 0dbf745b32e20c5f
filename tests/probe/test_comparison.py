"""What the loss compares, seen through autograd's record."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import paramedic
from paramedic.types import Chart

X, LABELS, NUMBERS = torch.randn(8, 4), torch.arange(8) % 3, torch.randn(8)


def _chart(model: nn.Module, loss: Callable[[Tensor, Tensor], Tensor], target: Tensor) -> Chart:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with (
        warnings.catch_warnings(),
        paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor,
    ):
        warnings.simplefilter("ignore")
        loss(model(X), target).backward()
        optimizer.step()
    return monitor.chart


LOGITS, COLUMN = nn.Linear(4, 3), nn.Linear(4, 1)
FUNCTIONS: list[tuple[nn.Module, Any, Tensor, str]] = [
    (nn.Sequential(LOGITS, nn.Softmax(1)), nn.CrossEntropyLoss(), LABELS, "softmax"),
    (nn.Sequential(LOGITS, nn.Softmax(1)), F.cross_entropy, LABELS, "softmax"),
    (nn.Sequential(LOGITS, nn.ReLU()), F.cross_entropy, LABELS, "relu"),
    (LOGITS, nn.CrossEntropyLoss(), LABELS, "linear"),
    (LOGITS, F.cross_entropy, LABELS, "linear"),
    (nn.Sequential(LOGITS, nn.LogSoftmax(1)), nn.NLLLoss(), LABELS, "log-softmax"),
    (nn.Sequential(COLUMN, nn.Sigmoid()), F.binary_cross_entropy, torch.ones(8, 1), "sigmoid"),
    (nn.Sequential(COLUMN, nn.Tanh()), nn.MSELoss(), torch.ones(8, 1), "tanh"),
    (COLUMN, lambda out, y: F.mse_loss(out.squeeze(-1), y), NUMBERS, "linear"),
]


@pytest.mark.parametrize(("model", "loss", "target", "expected"), FUNCTIONS)
def test_the_function_behind_the_output(
    model: nn.Module, loss: Any, target: Tensor, expected: str
) -> None:
    assert _chart(model, loss, target).output_function == expected


def huber(output: Tensor, target: Tensor) -> Tensor:
    """Written out by hand."""
    error = (output - target).abs()
    return torch.where(error < 1, 0.5 * error.square(), error - 0.5).mean()


def test_a_huber_loss_by_hand_is_known() -> None:
    assert _chart(COLUMN, huber, NUMBERS[:, None]).loss == "huber"


@pytest.mark.parametrize(
    "loss",
    [
        nn.MSELoss(), F.mse_loss, nn.L1Loss(), F.l1_loss, nn.SmoothL1Loss(), F.huber_loss,
        lambda out, y: ((out - y) ** 2).mean(), lambda out, y: (out - y).abs().sum(), huber,
    ],
)  # fmt: skip
def test_shapes_are_seen_as_they_were_before_broadcasting(loss: Any) -> None:
    chart = _chart(COLUMN, loss, NUMBERS)
    assert chart.output_shape == (8, 1)
    assert chart.target_shape in ((8,), (1, 8), (8, 8))


def _density(column: Tensor, target: Tensor) -> Tensor:
    return -torch.distributions.Normal(column, 1.0).log_prob(target).mean()


@pytest.mark.parametrize(
    ("loss", "name"),
    [
        (lambda out, y: ((out - y) ** 2).mean(), "mse"),
        (lambda out, y: (y - out).abs().mean(), "l1"),
        (_density, "gaussian-nll"),
    ],
)
def test_a_column_less_a_row_is_known_by_its_values(loss: Any, name: str) -> None:
    chart = _chart(COLUMN, loss, NUMBERS)
    assert (chart.loss, chart.output_shape, chart.target_shape) == (name, (8, 1), (8,))
    table = _chart(COLUMN, loss, torch.randn(8, 8))  # answers of its own for each sample
    assert table.target_shape in ((8, 8), ())


def test_targets_with_an_axis_too_many() -> None:
    def density(output: Tensor, target: Tensor) -> Tensor:
        return -torch.distributions.Normal(output, 1.0).log_prob(target).sum(-1).mean()

    chart = _chart(LOGITS, density, torch.randn(8, 1, 3))
    assert (chart.output_shape, chart.target_shape) == ((8, 3), (8, 8, 3))


def test_samples_that_are_compared_with_each_other_on_purpose() -> None:
    def ranking(output: Tensor, target: Tensor) -> Tensor:
        return (output - output.T).abs().mean()

    assert _chart(COLUMN, ranking, NUMBERS).target_shape == (8, 8)


def test_a_density_of_equal_shapes_is_left_alone() -> None:
    chart = _chart(COLUMN, _density, NUMBERS[:, None])
    assert (chart.loss, chart.target_shape) == (None, ())


def test_equal_shapes_are_equal() -> None:
    for loss in (nn.MSELoss(), F.mse_loss, lambda out, y: ((out - y) ** 2).mean()):
        chart = _chart(COLUMN, loss, NUMBERS[:, None])
        assert chart.output_shape == chart.target_shape == (8, 1)


def test_kinds() -> None:
    chart = _chart(LOGITS, F.cross_entropy, LABELS)
    assert (chart.input_kind, chart.target_kind) == ("float", "integer")
    assert _chart(COLUMN, F.mse_loss, NUMBERS).target_kind == "float"
