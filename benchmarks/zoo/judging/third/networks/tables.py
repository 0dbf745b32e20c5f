"""Networks for tables: sines, crossed features, gates, sums of curves, trees, bumps, densities."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ....models import Layer, mlp


class Sine(nn.Module):
    """A sine of a few times the input."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(3 * x)


def sines(inputs: int, outputs: int, *, width: int = 48, depth: int = 2) -> nn.Sequential:
    """A network of sines, as for fields and pictures."""
    return mlp(inputs, outputs, hidden=width, depth=depth, activation=Sine)


class Crossed(nn.Module):
    """A deep network beside layers that multiply the features with one another."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        width: int = 32,
        depth: int = 2,
        crosses: int = 2,
        activation: Layer = nn.ReLU,
        norm: bool = False,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.crosses = nn.ModuleList(nn.Linear(inputs, inputs) for _ in range(crosses))
        self.deep = nn.Sequential(
            mlp(
                inputs,
                width,
                hidden=width,
                depth=depth - 1,
                activation=activation,
                norm=nn.BatchNorm1d if norm else None,
            ),
            activation(),
        )
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(inputs + width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        crossed = x
        for one in self.crosses:
            crossed = x * one(crossed) + crossed
        both = torch.cat([crossed, self.deep(x)], -1)
        return self.output(self.head(self.dropout(both)))


class GatedLayer(nn.Module):
    """SwiGLU beside a way around it."""

    def __init__(self, width: int, norm: bool) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width) if norm else nn.Identity()
        self.enter = nn.Linear(width, 4 * width)
        self.leave = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        gate, value = self.enter(self.norm(x)).chunk(2, -1)
        return x + self.leave(F.silu(gate) * value)


def gated(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    width: int = 32,
    depth: int = 3,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Gated layers between two linear ones; without depth it is linear."""
    return nn.Sequential(
        nn.Linear(inputs, width),
        *[GatedLayer(width, norm) for _ in range(depth)],
        *([nn.Dropout(dropout)] if dropout else []),
        nn.Linear(width, outputs),
        *([output()] if output else []),
    )


class Additive(nn.Module):
    """A small network for each feature; the answer is their sum."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        width: int = 12,
        depth: int = 2,
        activation: Layer = nn.ReLU,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.curves = nn.ModuleList(
            mlp(1, outputs, hidden=width, depth=depth, activation=activation) for _ in range(inputs)
        )
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        parts = [one(x[:, place : place + 1]) for place, one in enumerate(self.curves)]
        return self.output(torch.stack(parts).sum(0))


class SoftTree(nn.Module):
    """A tree whose every fork is a matter of degree."""

    def __init__(self, inputs: int, outputs: int, *, depth: int = 4, trees: int = 4) -> None:
        super().__init__()
        self.depth = depth
        self.trees = trees
        self.forks = nn.Linear(inputs, trees * (2**depth - 1))
        self.leaves = nn.Parameter(0.1 * torch.randn(trees, 2**depth, outputs))

    def forward(self, x: Tensor) -> Tensor:
        right = torch.sigmoid(2 * self.forks(x)).unflatten(-1, (self.trees, -1))
        reached = torch.ones(len(x), self.trees, 1)
        for level in range(self.depth):
            here = right[..., 2**level - 1 : 2 ** (level + 1) - 1]
            reached = torch.stack([reached * (1 - here), reached * here], -1).flatten(-2)
        return torch.einsum("ntl,tlo->no", reached, self.leaves)


class Bumps(nn.Module):
    """Radial bumps whose places and widths are learned, and a linear layer."""

    def __init__(
        self, inputs: int, outputs: int, *, bumps: int = 64, output: Layer | None = None
    ) -> None:
        super().__init__()
        self.places = nn.Parameter(1.2 * torch.randn(bumps, inputs))
        self.widths = nn.Parameter(torch.zeros(bumps))
        self.head = nn.Linear(bumps, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        distance = (x[:, None] - self.places).square().sum(-1)
        return self.output(self.head(torch.exp(-distance * self.widths.exp())))


class Densities(nn.Module):
    """Gives the weights, means and widths of several bells: what may come out, and how likely."""

    def __init__(self, inputs: int, *, bells: int = 3, width: int = 32) -> None:
        super().__init__()
        self.body = nn.Sequential(mlp(inputs, width, hidden=width, depth=1), nn.GELU())
        self.weights = nn.Linear(width, bells)
        self.means = nn.Linear(width, bells)
        self.widths = nn.Linear(width, bells)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        body = self.body(x)
        return self.weights(body), self.means(body), self.widths(body)


class DensityLoss(nn.Module):
    """The negative likelihood of a mixture of bells."""

    def forward(self, output: tuple[Tensor, Tensor, Tensor], target: Tensor) -> Tensor:
        weights, means, widths = output
        error = (target - means) * torch.exp(-widths)
        each = -0.5 * error.square() - widths - 0.5 * math.log(2 * math.pi)
        return -torch.logsumexp(torch.log_softmax(weights, -1) + each, -1).mean()
