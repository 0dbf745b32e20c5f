"""Networks for tables and points: a funnel, a wide one, a densely connected one, factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from ...models import Layer


def funnel(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    widths: Sequence[int] = (64, 32, 16),
    activation: Layer = nn.ReLU,
    norm: Callable[[int], nn.Module] | None = None,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Hidden layers that become narrower."""
    layers: list[nn.Module] = []
    for before, after in pairwise([inputs, *widths]):
        layers.append(nn.Linear(before, after))
        layers += [norm(after)] if norm else []
        layers.append(activation())
        layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear([inputs, *widths][-1], outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


def wide(  # noqa: PLR0913
    inputs: int,
    outputs: int,
    *,
    width: int = 160,
    depth: int = 2,
    activation: Layer = nn.GELU,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """One or two layers of many units, smooth by default; without depth it is linear."""
    return funnel(
        inputs,
        outputs,
        widths=(width,) * depth,
        activation=activation,
        dropout=dropout,
        output=output,
    )


class Dense(nn.Module):
    """Every layer sees the inputs and the outputs of all layers before it."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        growth: int = 16,
        depth: int = 3,
        activation: Layer = nn.SiLU,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(inputs + growth * place, growth), activation())
            for place in range(depth)
        )
        self.head = nn.Linear(inputs + growth * depth, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = torch.cat([x, layer(x)], -1)
        return self.output(self.head(x))


class Factors(nn.Module):
    """Embeddings of categories, their sum and the products of each two, and a small network."""

    def __init__(
        self, categories: int, outputs: int, *, width: int = 8, sparse: bool = False
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(categories, width, sparse=sparse)
        nn.init.normal_(self.embedding.weight, std=0.3)
        self.deep = nn.Sequential(nn.Linear(2 * width, 32), nn.ReLU(), nn.Linear(32, outputs))

    def forward(self, x: Tensor) -> Tensor:
        factors = self.embedding(x)
        total = factors.sum(1)
        products = (total.square() - factors.square().sum(1)) / 2
        return self.deep(torch.cat([total, products], -1))
