"""Networks for tables: products of two layers, layers in groups, a memory of keys and values."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ....models import Layer


class Product(nn.Module):
    """The product of two linear layers, one of them through an activation."""

    def __init__(self, before: int, after: int, activation: Layer) -> None:
        super().__init__()
        self.one = nn.Linear(before, after)
        self.other = nn.Linear(before, after)
        self.activation = activation()

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(self.one(x)) * self.other(x)


def bilinear(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    width: int = 24,
    depth: int = 2,
    activation: Layer = nn.Tanh,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Layers that multiply, each followed by layer normalisation."""
    layers: list[nn.Module] = []
    for place in range(depth):
        layers.append(Product(width if place else inputs, width, activation))
        layers += [nn.LayerNorm(width)] if norm else []
        layers += [nn.Dropout(dropout)] if dropout else []
    return nn.Sequential(*layers, nn.Linear(width, outputs), *([output()] if output else []))


class Grouped(nn.Module):
    """A linear layer within each of several groups of units, which then change places."""

    def __init__(self, width: int, groups: int) -> None:
        super().__init__()
        size = width // groups
        self.groups = groups
        self.weight = nn.Parameter(torch.randn(groups, size, size) * (2 / size) ** 0.5)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        parts = x.unflatten(1, (self.groups, -1))
        made = torch.einsum("ngi,gij->ngj", parts, self.weight)
        return made.transpose(1, 2).flatten(1) + self.bias


def grouped(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    width: int = 48,
    groups: int = 4,
    depth: int = 3,
    activation: Layer = nn.ReLU,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Layers in groups that change places, with batch normalisation."""
    layers: list[nn.Module] = [nn.Linear(inputs, width)]
    for _ in range(depth):
        layers += [nn.BatchNorm1d(width)] if norm else []
        layers.append(activation())
        layers += [nn.Dropout(dropout)] if dropout else []
        layers.append(Grouped(width, groups))
    layers += [activation(), nn.Linear(width, outputs)]
    return nn.Sequential(*layers, *([output()] if output else []))


class Memory(nn.Module):
    """Asks a memory of learned keys with what it sees and adds the values that answer."""

    def __init__(self, width: int, entries: int, warmth: float) -> None:
        super().__init__()
        self.keys = nn.Parameter(torch.randn(entries, width) * width**-0.5)
        self.values = nn.Parameter(torch.randn(entries, width) * width**-0.5)
        self.warmth = warmth

    def forward(self, x: Tensor) -> Tensor:
        shares = torch.softmax(self.warmth * x @ self.keys.T, -1)
        return x + shares @ self.values


def remembering(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    width: int = 32,
    entries: int = 24,
    depth: int = 2,
    warmth: float = 3.0,
    activation: Layer = nn.ReLU,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Plain layers, each followed by a memory."""
    layers: list[nn.Module] = []
    for place in range(depth):
        layers += [nn.Linear(width if place else inputs, width), activation()]
        layers += [Memory(width, entries, warmth)] if entries else []
        layers += [nn.Dropout(dropout)] if dropout else []
    return nn.Sequential(*layers, nn.Linear(width, outputs), *([output()] if output else []))
