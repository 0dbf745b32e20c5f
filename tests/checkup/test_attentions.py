"""Attention is recognised however it is written, and nothing else is taken for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.checkup.attentions import Attention, attention_of

from .case import normal

pytestmark = pytest.mark.usefixtures("as_in_a_check")


class Written(nn.Module):
    """Attention in the words of `mix`."""

    def __init__(self, mix: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.qkv, self.mix = nn.Linear(8, 24), mix

    def forward(self, x: Tensor) -> Tensor:
        return self.mix(*self.qkv(x).chunk(3, -1))


def found(model: nn.Module, x: Tensor | None = None) -> list[Attention]:
    with attention_of(model) as attentions:
        model(normal(3, 5, 8) if x is None else x)
    return attentions


def by_hand(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = (q @ k.transpose(1, 2) / 3).exp()
    return (scores / scores.sum(-1, keepdim=True)) @ v


def divided_later(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = (q @ k.transpose(1, 2) / 3).exp()
    return (scores @ v) / scores.sum(-1, keepdim=True)


WRITINGS: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "matmul": lambda q, k, v: (q @ k.transpose(1, 2)).softmax(-1) @ v,
    "einsum": lambda q, k, v: torch.einsum(
        "bij,bjd->bid", torch.einsum("bid,bjd->bij", q, k).softmax(-1), v
    ),
    "by hand": by_hand,
    "fused": F.scaled_dot_product_attention,
    "fused and causal": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
}


@pytest.mark.parametrize("name", WRITINGS)
def test_recognised_in_any_words(name: str) -> None:
    (attention,) = found(Written(WRITINGS[name]))
    assert attention.weights.shape == (3, 5, 5)
    assert torch.allclose(attention.weights.sum(-1), torch.ones(3, 5), atol=1e-5)
    assert attention.where == "Written"
    assert not attention.dropped


def test_multi_head_attention_of_torch() -> None:
    class Self(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x, x, x)[0]

    (attention,) = found(Self().eval())
    assert attention.where == "inner"
    assert attention.weights.shape[-2:] == (5, 5)


def test_normalised_after_mixing() -> None:
    (attention,) = found(Written(divided_later))
    assert attention.normalised_later


def test_dropout_on_the_weights_is_seen() -> None:
    (attention,) = found(
        Written(lambda q, k, v: F.dropout((q @ k.transpose(1, 2)).softmax(-1), 0.5) @ v)
    )
    assert attention.dropped


@pytest.mark.parametrize(
    "model",
    [
        nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)),
        Written(lambda q, k, v: q @ (k.transpose(1, 2) @ v)),  # linear attention
        Written(lambda q, k, v: q @ k.transpose(1, 2)),  # a table of similarities
        Written(lambda q, k, v: q * k.softmax(-1) + v),
    ],
)
def test_nothing_else_is_taken_for_it(model: nn.Module) -> None:
    assert found(model) == []
