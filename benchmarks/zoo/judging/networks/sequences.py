"""Networks for series and texts: convolutions, recurrence in stacks and both ways, attention."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...models import Layer


class TextCnn(nn.Module):
    """Convolutions of three widths over words; of each filter the highest answer."""

    def __init__(
        self,
        words: int,
        outputs: int,
        *,
        width: int = 24,
        filters: int = 16,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.filters = nn.ModuleList(
            nn.Sequential(nn.Conv1d(width, filters, size), nn.ReLU(), nn.AdaptiveMaxPool1d(1))
            for size in (2, 3, 4)
        )
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(3 * filters, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        x = self.embedding(x).transpose(1, 2)
        found = torch.cat([one(x).squeeze(-1) for one in self.filters], -1)
        return self.output(self.head(self.dropout(found)))


class Causal(nn.Module):
    """A convolution along time that looks back only, `dilation` steps at a time."""

    def __init__(self, before: int, after: int, dilation: int) -> None:
        super().__init__()
        self.past = 2 * dilation
        self.convolution = nn.Conv1d(before, after, 3, dilation=dilation)

    def forward(self, x: Tensor) -> Tensor:
        return self.convolution(F.pad(x, (self.past, 0)))


class Tcn(nn.Module):
    """Causal convolutions, each looking twice as far back; the last moment gives the forecast."""

    def __init__(  # noqa: PLR0913
        self,
        series: int,
        outputs: int,
        *,
        width: int = 16,
        layers: int = 4,
        activation: Layer = nn.ReLU,
        residual: bool = True,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Conv1d(series, width, 1)
        self.layers = nn.ModuleList(
            nn.Sequential(Causal(width, width, 2 ** min(place, 3)), activation())
            for place in range(layers)
        )
        self.residual = residual
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        x = self.enter(x.transpose(1, 2))
        for layer in self.layers:
            x = x + layer(x) if self.residual else layer(x)
        return self.output(self.head(x[:, :, -1]))


class BothWays(nn.Module):
    """An LSTM in both directions over symbols; of each unit the highest state."""

    def __init__(
        self,
        symbols: int,
        outputs: int,
        *,
        width: int = 16,
        hidden: int = 20,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, width)
        self.body = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(2 * hidden, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.body(self.embedding(x))
        return self.output(self.head(self.dropout(states.amax(1))))


class Stack(nn.Module):
    """Recurrent layers on top of each other between two linear ones, over vectors or symbols."""

    def __init__(  # noqa: PLR0913
        self,
        kind: Callable[..., nn.RNNBase],
        inputs: int,
        outputs: int,
        *,
        hidden: int = 24,
        layers: int = 2,
        symbols: bool = False,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, hidden) if symbols else nn.Linear(inputs, hidden)
        self.body = kind(hidden, hidden, layers, batch_first=True, dropout=dropout)
        self.hidden = nn.Linear(hidden, hidden)
        self.head = nn.Linear(hidden, outputs)
        self.output = output() if output else nn.Identity()
        self.everywhere = symbols

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.body(self.enter(x))
        states = states if self.everywhere else states[:, -1]
        return self.output(self.head(F.silu(self.hidden(states))))


class Attention(nn.Module):
    """Attention to what came before, with one linear layer for query, key and value."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.enter = nn.Linear(width, 3 * width)
        self.leave = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        parts = self.enter(x).chunk(3, -1)
        query, key, value = (one.unflatten(-1, (self.heads, -1)).transpose(1, 2) for one in parts)
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.leave(seen.transpose(1, 2).flatten(2))


class DecoderBlock(nn.Module):
    """Attention and a small network, each normalised before and added to what came in."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.LayerNorm(width)
        self.attention = Attention(width, 2)
        self.second = nn.LayerNorm(width)
        self.network = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.first(x))
        return x + self.network(self.second(x))


class Gpt(nn.Module):
    """A decoder that names the next symbol at every place, with its embedding as its head."""

    def __init__(
        self,
        symbols: int,
        *,
        width: int = 40,
        blocks: int = 2,
        dropout: float = 0.0,
        longest: int = 64,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, width)
        self.position = nn.Embedding(longest, width)
        nn.init.normal_(self.embedding.weight, std=0.1)
        nn.init.normal_(self.position.weight, std=0.05)
        self.body = nn.Sequential(*[DecoderBlock(width, dropout) for _ in range(blocks)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, symbols, bias=False)
        self.head.weight = self.embedding.weight
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device)
        states = self.body(self.embedding(x) + self.position(places))
        return self.output(self.head(self.norm(states)))


def sinusoids(length: int, width: int) -> Tensor:
    """Places as sines and cosines of many frequencies."""
    angle = torch.arange(length)[:, None] * torch.exp(
        -math.log(100.0) * torch.arange(0, width, 2) / width
    )
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


class Encoder(nn.Module):
    """Attention both ways over symbols, normalised after each sum; at every place or on average."""

    def __init__(  # noqa: PLR0913
        self,
        symbols: int,
        outputs: int,
        *,
        width: int = 32,
        layers: int = 2,
        everywhere: bool = False,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, width)
        self.register_buffer("places", sinusoids(64, width))
        layer = nn.TransformerEncoderLayer(
            width, 4, 3 * width, dropout, "gelu", batch_first=True, norm_first=False
        )
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()
        self.everywhere = everywhere

    def forward(self, x: Tensor) -> Tensor:
        states = self.body(self.embedding(x) + self.places[: x.shape[1]])
        return self.output(self.head(states if self.everywhere else states.mean(1)))
