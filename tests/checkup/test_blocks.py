from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from paramedic.checkup.blocks import stacks_of

from .case import normal


class Doubling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(2 * x)


def test_the_growth_through_a_stack() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(*[Doubling() for _ in range(5)]))
    with torch.no_grad(), stacks_of(model, 4) as stacks:
        model(normal(3, 4))
    (stack,) = stacks
    assert stack.names == [f"1.{place}" for place in range(5)]
    assert stack.growth == pytest.approx(32)
    assert not any(one._forward_hooks for one in model.modules())


def test_short_and_mixed_stacks_do_not_count() -> None:
    model = nn.Sequential(*[Doubling() for _ in range(3)])
    with stacks_of(model, 4) as stacks:
        model(normal(3, 4))
    assert stacks == []
    with stacks_of(nn.Sequential(*[nn.Linear(4, 4) for _ in range(9)]), 4) as stacks:
        pass
    assert stacks == []


def test_blocks_that_were_not_run() -> None:
    with stacks_of(nn.ModuleList(Doubling() for _ in range(4)), 4) as stacks:
        pass
    assert stacks[0].growth == 1.0
