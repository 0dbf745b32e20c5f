from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.checkup.case import Case, labels, normal

CHECK = "input-dependence"


def test_a_head_of_zeros_hides_nothing() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    nn.init.zeros_(model[2].weight)
    assert Case(model, normal(6, 4)).entry(CHECK).status == "passed"


def test_tokens() -> None:
    class Deaf(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(9, 3)

        def forward(self, x: Tensor) -> Tensor:
            return self.embed(x).sum(1) * 0 + 1

    tokens = labels(24, 9).view(6, 4)
    assert Case(Deaf(), tokens).entry(CHECK).status == "failed"
    assert Case(nn.Embedding(9, 3), tokens).entry(CHECK).status == "passed"


def test_outputs_that_are_not_finite_are_not_judged() -> None:
    class Broken(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(4, 2)

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x) * torch.nan

    assert "no output is finite" in Case(Broken(), normal(6, 4)).entry(CHECK).reason.lower()
