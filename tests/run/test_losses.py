from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from paramedic.run.losses import observe_losses
from paramedic.run.patching import Patches


@pytest.fixture
def curious() -> list[str]:
    return ["about everything"]


@pytest.fixture
def told(curious: list[str]) -> Iterator[list[Any]]:
    calls: list[Any] = []
    patches = Patches()
    observe_losses(patches, lambda *call: calls.append(call), lambda: bool(curious))
    yield calls
    patches.remove()


def test_modules_and_functions_are_seen(told: list[Any]) -> None:
    x, y = torch.zeros(4, 3), torch.zeros(4, dtype=torch.long)
    nn.CrossEntropyLoss()(x, y)
    functional.cross_entropy(x, target=y, reduction="sum")
    functional.mse_loss(input=x, target=x)
    assert [call[0] for call in told] == ["cross_entropy", "cross_entropy", "mse_loss"]
    assert told[0][1] is x
    assert told[1][2] is y
    assert [call[3] for call in told] == ["mean", "sum", "mean"]


def test_later_only_evaluations_are_of_interest(told: list[Any], curious: list[str]) -> None:
    x = torch.zeros(4, 3, requires_grad=True)
    y = torch.zeros(4, dtype=torch.long)
    functional.cross_entropy(x, y)
    curious.clear()
    functional.cross_entropy(x, y)
    with torch.no_grad():
        functional.nll_loss(x, y)
    assert [call[0] for call in told] == ["cross_entropy", "nll_loss"]


def test_the_result_is_that_of_torch(told: list[Any]) -> None:
    x, y = torch.randn(4, 3), torch.zeros(4, dtype=torch.long)
    result = functional.cross_entropy(x, y)
    assert told[0][4] is result
    assert functional.cross_entropy.__name__ == "cross_entropy"
