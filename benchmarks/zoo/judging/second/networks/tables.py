"""Networks for tables, pairs and bags: highways, maxout, two towers, sums over a set."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from ....models import Layer, mlp


class HighwayLayer(nn.Module):
    """A gate decides how much of the input passes and how much is made anew."""

    def __init__(self, width: int, activation: Layer) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, width), activation())
        self.gate = nn.Linear(width, width)
        nn.init.constant_(self.gate.bias, -1.0)

    def forward(self, x: Tensor) -> Tensor:
        gate = torch.sigmoid(self.gate(x))
        return gate * self.body(x) + (1 - gate) * x


def highway(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    width: int = 40,
    depth: int = 3,
    activation: Layer = nn.ReLU,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Highway layers between two linear ones; without depth it is linear."""
    return nn.Sequential(
        nn.Linear(inputs, width),
        *[HighwayLayer(width, activation) for _ in range(depth)],
        *([nn.Dropout(dropout)] if dropout else []),
        nn.Linear(width, outputs),
        *([output()] if output else []),
    )


class Maxout(nn.Module):
    """A linear layer of which the largest of each few units is kept."""

    def __init__(self, before: int, after: int, pieces: int) -> None:
        super().__init__()
        self.linear = nn.Linear(before, after * pieces)
        self.pieces = pieces

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).unflatten(-1, (-1, self.pieces)).amax(-1)


def maxout(  # noqa: PLR0913
    inputs: int,
    outputs: int,
    *,
    width: int = 32,
    depth: int = 2,
    pieces: int = 3,
    norm: bool = False,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Maxout layers; with one piece it is linear."""
    layers: list[nn.Module] = []
    for before, after in pairwise([inputs, *[width] * depth]):
        layers.append(Maxout(before, after, pieces))
        layers += [nn.BatchNorm1d(after)] if norm else []
        layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(width, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class TwoTowers(nn.Module):
    """One tower sees both of a pair; the answer comes from how far apart it puts them."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        width: int = 32,
        depth: int = 2,
        activation: Layer = nn.ReLU,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.tower = mlp(inputs, width, hidden=width, depth=depth, activation=activation)
        self.compare = nn.Sequential(nn.Linear(width, width), activation())
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        one, other = self.tower(x).unbind(1)
        return self.output(self.head(self.compare((one - other).square())))


class DeepSets(nn.Module):
    """What a network makes of each member of a bag, averaged, and a network on the average."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        width: int = 32,
        depth: int = 2,
        activation: Layer = nn.ReLU,
        norm: bool = False,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.each = mlp(inputs, width, hidden=width, depth=depth, activation=activation)
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()
        self.all = mlp(width, width, hidden=width, depth=1, activation=activation)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.head(self.all(self.norm(self.each(x).mean(1)))))
