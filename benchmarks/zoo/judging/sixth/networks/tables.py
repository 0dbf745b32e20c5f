"""Networks for tables: thin matrices, weights that a network makes, waves of random frequency."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ....models import Layer


def factored(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    width: int = 48,
    rank: int = 12,
    depth: int = 3,
    activation: Layer = nn.ReLU,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Layers whose matrices are products of two thin ones, with batch normalisation."""
    layers: list[nn.Module] = []
    for place in range(depth):
        layers.append(nn.Linear(width if place else inputs, rank, bias=False))
        layers.append(nn.Linear(rank, width))
        layers += [nn.BatchNorm1d(width)] if norm else []
        layers.append(activation())
        layers += [nn.Dropout(dropout)] if dropout else []
    return nn.Sequential(*layers, nn.Linear(width, outputs), *([output()] if output else []))


class Hyper(nn.Module):
    """A network that makes, for each sample, the weights of another one that then sees it."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        width: int = 24,
        made: int = 12,
        activation: Layer = nn.ReLU,
        norm: bool = True,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.maker = nn.Sequential(nn.Linear(inputs, width), activation())
        self.weights = nn.Linear(width, made * inputs)
        self.biases = nn.Linear(width, made)
        self.norm = nn.LayerNorm(made) if norm else nn.Identity()
        self.body = nn.Sequential(
            activation(), nn.Dropout(dropout), nn.Linear(made, made), activation()
        )
        self.head = nn.Linear(made, outputs)
        self.output = output() if output else nn.Identity()

    def seen(self, x: Tensor) -> Tensor:
        """What the made weights make of the sample."""
        made = self.maker(x)
        weights = self.weights(made).unflatten(1, (-1, x.shape[1]))
        return (weights @ x.unsqueeze(-1)).squeeze(-1) + self.biases(made)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.head(self.body(self.norm(self.seen(x)))))


class RandomWaves(nn.Module):
    """Sines and cosines of the input along random directions, which do not learn."""

    def __init__(self, inputs: int, waves: int, spread: float) -> None:
        super().__init__()
        self.register_buffer("directions", spread * torch.randn(inputs, waves))

    def forward(self, x: Tensor) -> Tensor:
        phase = x @ self.directions
        return torch.cat([torch.sin(phase), torch.cos(phase)], -1)


def waved(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    waves: int = 24,
    spread: float = 1.5,
    width: int = 32,
    depth: int = 2,
    activation: Layer = nn.ReLU,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Random waves in front of a plain network, as for pictures as functions of a place."""
    layers: list[nn.Module] = [RandomWaves(inputs, waves, spread)]
    for place in range(depth):
        layers += [nn.Linear(width if place else 2 * waves, width), activation()]
        layers += [nn.Dropout(dropout)] if dropout else []
    return nn.Sequential(
        *layers,
        nn.Linear(width if depth else 2 * waves, outputs),
        *([output()] if output else []),
    )
