"""Networks for tables: learned curves, attention among fields, one layer used again and again."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ....models import Layer


class Curves(nn.Module):
    """A learned curve on each way from an input to an output, as in Kolmogorov-Arnold networks."""

    def __init__(self, inputs: int, outputs: int, knots: int) -> None:
        super().__init__()
        self.register_buffer("knots", torch.linspace(-2, 2, knots))
        self.base = nn.Linear(inputs, outputs)
        self.curves = nn.Linear(inputs * knots, outputs, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        spacing = self.knots[1] - self.knots[0]
        bumps = torch.exp(-(((x[..., None] - self.knots) / spacing) ** 2))
        return self.base(F.silu(x)) + self.curves(bumps.flatten(1))


def splines(  # noqa: PLR0913 - each knob is what some recipe turns
    inputs: int,
    outputs: int,
    *,
    width: int = 12,
    depth: int = 2,
    knots: int = 6,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Layers of curves, with a norm between them so that they stay on their knots."""
    widths = [inputs] + [width] * (depth - 1) + [outputs]
    layers: list[nn.Module] = []
    for place, before in enumerate(widths[:-1]):
        layers += [nn.LayerNorm(before)] if place else []
        layers += [nn.Dropout(dropout)] if dropout and place else []
        layers.append(Curves(before, widths[place + 1], knots))
    return nn.Sequential(*layers, *([output()] if output else []))


class FieldBlock(nn.Module):
    """Every field attends to all fields; then a small network."""

    def __init__(self, width: int, activation: Layer, norm: bool, dropout: float) -> None:
        super().__init__()
        self.first = nn.LayerNorm(width) if norm else nn.Identity()
        self.attention = nn.MultiheadAttention(width, 2, dropout, batch_first=True)
        self.second = nn.LayerNorm(width) if norm else nn.Identity()
        self.body = nn.Sequential(
            nn.Linear(width, 2 * width),
            activation(),
            nn.Dropout(dropout),
            nn.Linear(2 * width, width),
        )

    def forward(self, x: Tensor) -> Tensor:
        seen = self.first(x)
        x = x + self.attention(seen, seen, seen, need_weights=False)[0]
        return x + self.body(self.second(x))


class Fields(nn.Module):
    """Each feature of a table is a token of its own; one more token gives the answer."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        width: int = 16,
        layers: int = 2,
        activation: Layer = nn.ReLU,
        norm: bool = True,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.scales = nn.Parameter(0.5 * torch.randn(inputs, width))
        self.names = nn.Parameter(0.5 * torch.randn(inputs, width))
        self.answer = nn.Parameter(0.5 * torch.randn(1, width))
        self.blocks = nn.Sequential(
            *[FieldBlock(width, activation, norm, dropout) for _ in range(layers)]
        )
        self.head = nn.Sequential(
            nn.LayerNorm(width) if norm else nn.Identity(), nn.Linear(width, outputs)
        )
        self.output = output() if output else nn.Identity()

    def tokens(self, x: Tensor) -> Tensor:
        fields = x[..., None] * self.scales + self.names
        return torch.cat([self.answer.expand(len(x), 1, -1), fields], 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.head(self.blocks(self.tokens(x))[:, 0]))


class Looped(nn.Module):
    """One layer that is used several times, with the input beside it, as in equilibrium models."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        width: int = 32,
        loops: int = 4,
        activation: Layer = nn.ReLU,
        norm: bool = True,
        around: bool = True,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Linear(inputs, width)
        self.again = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()
        self.activation = activation()
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()
        self.loops = loops
        self.around = around

    def forward(self, x: Tensor) -> Tensor:
        entered = self.enter(x)
        state = self.activation(self.norm(entered))
        for _ in range(self.loops):
            before = self.again(state) + (entered if self.around else 0)
            state = self.activation(self.norm(before))
        return self.output(self.head(self.dropout(state)))
