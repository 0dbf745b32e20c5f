"""The metric: what is right is told by shapes, and what is not finite is wrong."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from paramedic.treat.measure import accuracy, measure, takes_logits

NAN = float("nan")
CASES = [
    ([[2.0, 1.0], [0.0, 3.0]], [0, 0], 0.5),  # classes against labels
    ([[2.0, 1.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]], 1.0),  # one-hot
    ([[2.0, 1.0], [0.0, 3.0]], [[0], [1]], 1.0),  # labels as a column
    ([[0.4], [0.6]], [0, 0], 0.5),  # one probability
    ([0.4, 0.6], [[0], [1]], 1.0),
    ([-0.5, 0.5], [-1.0, 1.0], 1.0),
    ([1.2, 1.8], [1, 2], 1.0),
    ([0.4, 1.2, 2.9], [0, 1, 2], 2 / 3),  # classes as numbers
    ([[NAN, NAN], [0.0, 1.0]], [0, 1], 0.5),
    ([NAN, 0.9], [0, 1], 0.5),
]


@pytest.mark.parametrize(("output", "target", "expected"), CASES)
def test_accuracy(output: list[float], target: list[float], expected: float) -> None:
    assert accuracy(torch.tensor(output), torch.tensor(target)) == pytest.approx(expected)


def test_a_sequence_of_classes_counts_each_place() -> None:
    output = torch.zeros(2, 3, 5)
    output[:, 1] = 1.0
    assert accuracy(output, torch.ones(2, 5, dtype=torch.long)) == 1.0
    assert accuracy(output.transpose(1, 2), torch.ones(2, 5, dtype=torch.long)) == 1.0


def test_logits_have_their_border_at_zero() -> None:
    with_logits = measure("accuracy", nn.BCEWithLogitsLoss(), None)
    without = measure("accuracy", nn.BCELoss(), None)
    output, target = torch.tensor([0.2, -0.2]), torch.tensor([1.0, 0.0])
    assert with_logits(output, target) == 1.0
    assert without(output, target) == 0.5
    assert takes_logits(nn.functional.binary_cross_entropy_with_logits)


def test_better_knows_its_direction_and_nan() -> None:
    up, down = measure("accuracy", nn.MSELoss(), None), measure("loss", nn.MSELoss(), None)
    assert up.better(0.6, 0.5)
    assert down.better(0.5, 0.6)
    assert up.better(0.1, math.nan)
    assert not up.better(math.nan, 0.1)
    assert up.gain(0.5, 0.75) == 0.25
    assert down.gain(0.5, 0.75) == -0.25
    assert up.better(0.0, up.worst)
    assert down.better(1e9, down.worst)


def test_a_function_of_the_user_is_a_metric() -> None:
    def error(output: torch.Tensor, target: torch.Tensor) -> float:
        return float((output - target).abs().mean())

    made = measure(error, nn.MSELoss(), False)
    assert made.name == "error"
    assert made(torch.ones(2), torch.zeros(2)) == 1.0
    assert made.better(0.1, 0.2)
