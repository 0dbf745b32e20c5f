"""Whether the samples still differ when they reach the first layer."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

import paramedic
from paramedic.probe import native


class _Masked(nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor
        self.body = nn.Linear(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x * self.factor)


def _seen(model: nn.Module, x: Tensor) -> list[float]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor:
        model(x).sum().backward()
        optimizer.step()
    return monitor.window().scalar("first_constant").tolist()


@pytest.mark.parametrize("way", ["native", "numpy"])
@pytest.mark.parametrize(("factor", "expected"), [(0.0, 1.0), (1.0, 0.0)])
def test_a_mask_inside_the_model_is_seen(
    way: str, factor: float, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "numpy":
        monkeypatch.setattr(native, "kernel", None)
    assert _seen(_Masked(factor), torch.randn(8, 4)) == [expected]


def test_embeddings_and_single_samples_say_nothing() -> None:
    words = nn.Embedding(5, 3)
    assert torch.tensor(_seen(words, torch.zeros(8, 2, dtype=torch.int64))).isnan().all()
    assert torch.tensor(_seen(nn.Linear(4, 3), torch.randn(1, 4))).isnan().all()


class _Cell(nn.Module):
    """A recurrent net written by hand; its state is read before its input."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor
        self.words, self.again = nn.Embedding(5, 3), nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros(len(x), 3)
        for moment in range(x.shape[1]):
            state = torch.tanh(self.again(state) + self.factor * self.words(x[:, moment]))
        return state


@pytest.mark.parametrize(("factor", "expected"), [(0.0, 1.0), (1.0, 0.0)])
def test_a_state_that_begins_at_zero_is_no_lost_input(factor: float, expected: float) -> None:
    assert _seen(_Cell(factor), torch.arange(24).reshape(8, 3) % 5) == [expected]
