from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from paramedic.probe.straightness import is_straight

X = torch.randn(6, 4)


class Functional(nn.Module):
    """Layers with a function between them that is no module."""

    def __init__(self, bend: bool) -> None:
        super().__init__()
        self.first, self.second, self.bend = nn.Linear(4, 8), nn.Linear(8, 3), bend

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x)
        return self.second(F.relu(hidden) if self.bend else hidden * 0.5)


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.value, self.gate = nn.Linear(4, 3), nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.value(x) * self.gate(x)


@pytest.mark.parametrize(
    "model",
    [
        nn.Linear(4, 2),
        nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.BatchNorm1d(8), nn.Linear(8, 2)),
        nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2), nn.Softmax(dim=1)),
        nn.Sequential(nn.Unflatten(1, (1, 4)), nn.Conv1d(1, 3, 2), nn.Flatten(), nn.Linear(9, 2)),
        Functional(bend=False),
    ],
)
def test_straight(model: nn.Module) -> None:
    assert is_straight(model(X).grad_fn) is True


@pytest.mark.parametrize(
    "model",
    [
        nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)),
        nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 2)),
        nn.Sequential(nn.Unflatten(1, (2, 2)), nn.Conv1d(2, 3, 2), nn.MaxPool1d(1), nn.Flatten()),
        Functional(bend=True),
        Gated(),
    ],
)
def test_bent(model: nn.Module) -> None:
    assert is_straight(model(X).grad_fn) is False


def test_without_a_graph_nothing_is_known() -> None:
    with torch.no_grad():
        assert is_straight(nn.Linear(4, 2)(X).grad_fn) is None


def test_attention_bends() -> None:
    attention = nn.MultiheadAttention(4, 2, batch_first=True)
    found, _ = attention(X[None], X[None], X[None])
    assert is_straight(found.grad_fn) is False
