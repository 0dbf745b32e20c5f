from __future__ import annotations

import torch
from torch import Tensor, nn

from paramedic.checkup.embeddings import Lookups

from .case import labels


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(20, 4, padding_idx=3)
        self.position = nn.Embedding(32, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.token(x) + self.position(torch.arange(x.shape[1]))


def test_tokens_and_positions() -> None:
    x = labels(18, 20).view(3, 6)
    with Lookups() as lookups:
        Model()(x)
    found = lookups.of(x)
    assert found is not None
    assert (found.rows, found.padding) == (20, 3)
    assert lookups.of(x + 1) is None
    assert lookups.positions(6) == 32
    assert lookups.positions(5) == 0


def test_bags() -> None:
    x = labels(18, 20).view(3, 6)
    with Lookups() as lookups:
        nn.EmbeddingBag(20, 4)(x)
    found = lookups.of(x)
    assert found is not None
    assert found.rows == 20
