"""Networks for series and texts: a language model of LSTMs, a GRU that attends, a regressor."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ....models import Layer


class LstmModel(nn.Module):
    """Two LSTMs, normalised in between, that name the next symbol at every place."""

    def __init__(
        self,
        symbols: int,
        *,
        width: int = 24,
        hidden: int = 48,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, width)
        self.first = nn.LSTM(width, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.dropout = nn.Dropout(dropout)
        self.second = nn.LSTM(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, symbols)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        states = self.norm(self.first(self.embedding(x))[0])
        states = self.second(self.dropout(states))[0]
        return self.output(self.head(self.dropout(states)))


class AttentiveGru(nn.Module):
    """A GRU over vectors whose states are weighed by attention to give one answer."""

    def __init__(
        self, inputs: int, outputs: int, *, hidden: int = 32, output: Layer | None = None
    ) -> None:
        super().__init__()
        self.body = nn.GRU(inputs, hidden, batch_first=True)
        self.score = nn.Linear(hidden, 1)
        self.head = nn.Linear(hidden, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.body(x)
        weights = torch.softmax(self.score(states), 1)
        return self.output(self.head((weights * states).sum(1)))


class Regressor(nn.Module):
    """Attention over vectors, the sum over places, a small network to a quantity."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        longest: int,
        width: int = 24,
        layers: int = 2,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Linear(inputs, width)
        self.position = nn.Parameter(0.1 * torch.randn(longest, width))
        layer = nn.TransformerEncoderLayer(
            width, 3, 3 * width, dropout, "gelu", batch_first=True, norm_first=True
        )
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.deep = nn.Sequential(nn.Linear(width, width), nn.GELU())
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        states = self.body(self.enter(x) + self.position)
        return self.output(self.head(self.deep(states).mean(1)))
