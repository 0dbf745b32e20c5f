from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from paramedic.checkup.operations import Watcher
from paramedic.checkup.origins import Origins

from .case import normal


class Follower(Watcher):
    def __init__(self, origins: Origins) -> None:
        self.origins = origins

    def seen(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        self.origins.follow(name, given, result)


MODEL = nn.Linear(4, 4)


def written_into(x: Tensor) -> Tensor:
    space = torch.zeros(3, 4)
    space[1:] = x[1:]
    return space


@pytest.mark.parametrize(
    ("compute", "is_weight", "name"),
    [
        (lambda x: MODEL.weight.t(), True, "weight"),
        (lambda x: MODEL.weight.bfloat16(), True, "weight"),
        (lambda x: MODEL.weight @ MODEL.weight, True, None),
        (lambda x: torch.cat([MODEL.weight, torch.zeros(4, 4)]), True, None),
        (lambda x: torch.arange(3) * 2, True, None),
        (lambda x: torch.randn(3) * 2, False, None),
        (lambda x: x * 2, False, None),
        (lambda x: x @ MODEL.weight, False, None),
        (lambda x: torch.stack([x[0], MODEL.bias]), False, None),
        (written_into, False, None),
    ],
)
def test_weights_and_activations(
    compute: Callable[[Tensor], Tensor], is_weight: bool, name: str | None
) -> None:
    origins = Origins(MODEL)
    with torch.no_grad(), Follower(origins):
        result = compute(normal(3, 4))
    assert origins.is_weight(result) is is_weight
    assert origins.name_of(result) == name
