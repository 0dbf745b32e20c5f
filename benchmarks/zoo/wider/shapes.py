"""Networks of forms that the others do not have: tied, translating, convolving, pooling."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

from ..models import Layer, Residual, mlp


class Tied(nn.Module):
    """A GRU over letters whose embedding is also its last layer."""

    def __init__(self, symbols: int, *, width: int = 40, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, width)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.body = nn.GRU(width, width, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.bias = nn.Parameter(torch.zeros(symbols))

    def forward(self, x: Tensor) -> Tensor:
        states = self.dropout(self.body(self.embedding(x))[0])
        return states @ self.embedding.weight.T + self.bias


class Translator(nn.Module):
    """Reads the first half of its input and is told, while it writes, what came before."""

    def __init__(self, symbols: int, *, width: int = 32) -> None:
        super().__init__()
        self.begin = symbols
        self.embedding = nn.Embedding(symbols + 1, width)
        self.position = nn.Parameter(0.1 * torch.randn(16, width))
        self.body = nn.Transformer(width, 4, 1, 1, 2 * width, 0.0, batch_first=True)
        self.head = nn.Linear(width, symbols)

    def forward(self, x: Tensor) -> Tensor:
        read, wanted = x.chunk(2, 1)
        begin = torch.full_like(wanted[:, :1], self.begin)
        told = torch.cat([begin, wanted[:, :-1]], 1)
        mask = nn.Transformer.generate_square_subsequent_mask(told.shape[1])
        return self.head(self.body(self._placed(read), self._placed(told), tgt_mask=mask))

    def _placed(self, x: Tensor) -> Tensor:
        return self.embedding(x) + self.position[: x.shape[1]]


class LargestOf(nn.Module):
    """Points of a bag one by one, then the largest of each feature."""

    def __init__(self, inputs: int, outputs: int, *, width: int = 32) -> None:
        super().__init__()
        self.each = nn.Sequential(mlp(inputs, width, hidden=width, depth=1), nn.ReLU())
        self.head = mlp(width, outputs, hidden=width, depth=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.each(x).amax(1))


class ClassToken(nn.Module):
    """Four patches of a picture and one more token, which gives the answer."""

    def __init__(self, side: int, outputs: int, *, width: int = 32, layers: int = 2) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, width, side // 2, side // 2)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(0.02 * torch.randn(5, width))
        layer = nn.TransformerEncoderLayer(
            width, 4, 2 * width, 0.1, "gelu", batch_first=True, norm_first=True
        )
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, outputs))

    def forward(self, x: Tensor) -> Tensor:
        patches = self.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.token.expand(len(x), -1, -1), patches], 1)
        return self.head(self.body(tokens + self.position)[:, 0])


class Window(nn.Module):
    """The mean of the words around a place: which word is there?"""

    def __init__(self, words: int, *, width: int = 24) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.head = nn.Linear(width, words)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.embedding(x).mean(1))


class Columns(nn.Module):
    """An embedding for each category of each column, then a small network."""

    def __init__(self, rows: int, columns: int, *, width: int = 4, hidden: int = 16) -> None:
        super().__init__()
        self.embedding = nn.Embedding(rows, width)
        self.body = mlp(columns * width, 1, hidden=hidden, depth=1, dropout=0.3)

    def forward(self, x: Tensor) -> Tensor:
        return self.body(self.embedding(x).flatten(1))


class Steady(nn.Module):
    """A plain RNN of ReLUs that begins by remembering everything."""

    def __init__(self, inputs: int, outputs: int, *, hidden: int = 32) -> None:
        super().__init__()
        self.body = nn.RNN(inputs, hidden, nonlinearity="relu", batch_first=True)
        nn.init.eye_(self.body.weight_hh_l0)
        nn.init.normal_(self.body.weight_ih_l0, std=0.05)
        self.head = nn.Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x)[0][:, -1])


class Gated(nn.Module):
    """Half of what a layer gives decides how much of the other half passes."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, 2 * width)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.glu(self.layer(x), -1)


class Times(nn.Module):
    """A fixed factor, as between standardised targets and those in their own units."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        return self.factor * x


class Growing(nn.Module):
    """What a block adds begins at nothing and has a factor of its own, which is learned."""

    def __init__(self, body: nn.Module) -> None:
        super().__init__()
        self.body = body
        self.factor = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.factor * self.body(x)


def growing(inputs: int, outputs: int, *, hidden: int = 32, blocks: int = 10) -> nn.Sequential:
    """Many blocks that begin by adding nothing, without normalisation."""
    stack = [Growing(nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())) for _ in range(blocks)]
    return nn.Sequential(nn.Linear(inputs, hidden), *stack, nn.Linear(hidden, outputs))


def skipping(
    inputs: int,
    outputs: int,
    *,
    hidden: int = 32,
    blocks: int = 4,
    norm: Callable[[int], nn.Module],
) -> nn.Sequential:
    """Gated blocks with skip connections, each after a normalisation."""
    stack = [Residual(nn.Sequential(norm(hidden), Gated(hidden))) for _ in range(blocks)]
    return nn.Sequential(nn.Linear(inputs, hidden), *stack, nn.Linear(hidden, outputs))


def strided(
    channels: int,
    outputs: int,
    *,
    width: int = 16,
    norm: Callable[[int], nn.Module] = nn.Identity,
    activation: Layer = nn.ReLU,
) -> nn.Sequential:
    """Convolutions that step by two instead of pooling, then the mean of the picture."""
    layers: list[nn.Module] = []
    for before, after in pairwise([channels, width, 2 * width]):
        layers += [nn.Conv2d(before, after, 3, 2, 1), norm(after), activation()]
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, outputs)
    )


def along_time(inputs: int, outputs: int, *, width: int = 16) -> nn.Sequential:
    """Convolutions along a series [N, time, inputs], pooled over time."""
    return nn.Sequential(
        _Turned(),
        nn.Conv1d(inputs, width, 5, padding=2),
        nn.BatchNorm1d(width),
        nn.ReLU(),
        nn.MaxPool1d(2),
        nn.Conv1d(width, width, 5, padding=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(2),
        nn.Flatten(),
        nn.Linear(2 * width, outputs),
    )


class _Turned(nn.Module):
    """Time last, as convolutions want it."""

    def forward(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2)
