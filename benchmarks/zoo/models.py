"""Small networks with the knobs that make them sick or healthy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

Layer = Callable[[], nn.Module]


def mlp(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    hidden: int = 32,
    depth: int = 2,
    activation: Layer = nn.ReLU,
    norm: Callable[[int], nn.Module] | None = None,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """`depth` hidden layers of one width; `output` follows the last linear layer."""
    layers: list[nn.Module] = []
    for before, after in pairwise([inputs] + [hidden] * depth):
        layers.append(nn.Linear(before, after))
        layers += [norm(after)] if norm else []
        layers.append(activation())
        layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(hidden if depth else inputs, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class Residual(nn.Module):
    """Adds what its body makes of the input to the input, `scale` times."""

    def __init__(self, body: nn.Module, scale: float = 1.0) -> None:
        super().__init__()
        self.body = body
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        return x + self.scale * self.body(x)


def residual_mlp(
    inputs: int,
    outputs: int,
    *,
    hidden: int = 32,
    blocks: int = 4,
    scale: float = 1.0,
    norm: bool = True,
) -> nn.Sequential:
    """A stack of residual blocks; without `norm` and with a large `scale` it blows up."""
    stack = [
        Residual(
            nn.Sequential(
                nn.LayerNorm(hidden) if norm else nn.Identity(),
                nn.Linear(hidden, hidden),
                nn.ReLU(),
                nn.Linear(hidden, hidden),
            ),
            scale,
        )
        for _ in range(blocks)
    ]
    return nn.Sequential(nn.Linear(inputs, hidden), *stack, nn.Linear(hidden, outputs))


def cnn(  # noqa: PLR0913
    channels: int,
    outputs: int,
    *,
    width: int = 16,
    blocks: int = 2,
    activation: Layer = nn.ReLU,
    norm: bool = False,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Convolutions, the first two followed by pooling, then the mean over the picture."""
    layers: list[nn.Module] = []
    for place, (before, after) in enumerate(pairwise([channels] + [width] * blocks)):
        layers.append(nn.Conv2d(before, after, 3, padding=1))
        layers += [nn.BatchNorm2d(after)] if norm else []
        layers.append(activation())
        layers += [nn.MaxPool2d(2)] if place < 2 else []
    layers += [nn.AdaptiveAvgPool2d(2), nn.Flatten()]
    layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(4 * width, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class SeriesCnn(nn.Module):
    """Convolutions along time; gives one forecast per series."""

    def __init__(
        self,
        series: int,
        width: int = 16,
        activation: Layer = nn.ReLU,
        blocks: int = 2,
        norm: bool = False,
    ) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for before, after in pairwise([series] + [width] * blocks):
            layers.append(nn.Conv1d(before, after, 3, padding=1))
            layers += [nn.BatchNorm1d(after)] if norm else []
            layers.append(activation())
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(16 * width, series)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x.transpose(1, 2)).flatten(1))


class Recurrent(nn.Module):
    """RNN, LSTM or GRU over words or vectors; gives one answer, or one at every place."""

    def __init__(  # noqa: PLR0913
        self,
        kind: type[nn.RNNBase],
        inputs: int,
        outputs: int,
        *,
        hidden: int = 32,
        layers: int = 1,
        words: bool = False,
        everywhere: bool = False,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(inputs, hidden) if words else nn.Identity()
        width = hidden if words else inputs
        self.body = kind(width, hidden, layers, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(hidden, outputs)
        self.output = output() if output else nn.Identity()
        self.pooled = words and not everywhere
        self.everywhere = everywhere

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.body(self.embedding(x))
        if self.pooled:
            states = states.mean(1)
        elif not self.everywhere:
            states = states[:, -1]
        return self.output(self.head(self.dropout(states)))


class Transformer(nn.Module):
    """An encoder over words or vectors; causal where it answers at every place."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        width: int = 32,
        layers: int = 2,
        words: bool = False,
        everywhere: bool = False,
        dropout: float = 0.0,
        norm_first: bool = True,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(inputs, width) if words else nn.Linear(inputs, width)
        self.position = nn.Parameter(0.02 * torch.randn(64, width))
        layer = nn.TransformerEncoderLayer(
            width, 4, 2 * width, dropout, batch_first=True, norm_first=norm_first
        )
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()
        self.everywhere = everywhere

    def forward(self, x: Tensor) -> Tensor:
        x = self.embedding(x)
        length = x.shape[1]
        mask = None
        if self.everywhere:
            mask = nn.Transformer.generate_square_subsequent_mask(length)
        x = self.norm(self.body(x + self.position[:length], mask=mask))
        return self.output(self.head(x if self.everywhere else x.mean(1)))


class BagOfWords(nn.Module):
    """The mean of the embeddings of a document, then a small network."""

    def __init__(  # noqa: PLR0913
        self,
        words: int,
        outputs: int,
        *,
        width: int = 16,
        hidden: int = 32,
        depth: int = 1,
        activation: Layer = nn.ReLU,
        dropout: float = 0.0,
        sparse: bool = False,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(words, width, mode="mean", sparse=sparse)
        self.body = mlp(
            width,
            outputs,
            hidden=hidden,
            depth=depth,
            activation=activation,
            dropout=dropout,
            output=output,
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.body(self.embedding(x))
