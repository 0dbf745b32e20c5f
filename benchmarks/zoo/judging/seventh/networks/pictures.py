"""Networks for pictures: all that was seen before, weights of each place, rows and columns."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ....models import Layer


class Joined(nn.Module):
    """A convolution whose result is put beside its input."""

    def __init__(self, before: int, growth: int, activation: Layer, norm: bool) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.BatchNorm2d(before) if norm else nn.Identity(),
            activation(),
            nn.Conv2d(before, growth, 3, padding=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([x, self.body(x)], 1)


def dense(  # noqa: PLR0913 - each knob is what some recipe turns
    channels: int,
    outputs: int,
    *,
    width: int = 8,
    growth: int = 6,
    blocks: int = 4,
    activation: Layer = nn.ReLU,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Each block sees all that the ones before it have made; halved once."""
    layers: list[nn.Module] = [nn.Conv2d(channels, width, 3, padding=1), nn.MaxPool2d(2)]
    for place in range(blocks):
        layers.append(Joined(width + place * growth, growth, activation, norm))
    made = width + blocks * growth
    layers += [activation(), nn.AdaptiveAvgPool2d(2), nn.Flatten()]
    layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(4 * made, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class Placed(nn.Module):
    """A layer on patches of a picture, with weights of its own for each patch."""

    def __init__(self, channels: int, width: int, side: int, patch: int) -> None:
        super().__init__()
        places, seen = (side // patch) ** 2, channels * patch**2
        self.unfold = nn.Unfold(patch, stride=patch)
        self.weight = nn.Parameter(torch.randn(places, seen, width) * (2 / seen) ** 0.5)
        self.bias = nn.Parameter(torch.zeros(places, width))

    def forward(self, x: Tensor) -> Tensor:
        patches = self.unfold(x).transpose(1, 2)
        return torch.einsum("npi,pio->npo", patches, self.weight) + self.bias


def placed(  # noqa: PLR0913 - each knob is what some recipe turns
    side: int,
    outputs: int,
    *,
    patch: int = 2,
    width: int = 6,
    hidden: int = 32,
    depth: int = 1,
    activation: Layer = nn.ReLU,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Every place of a picture has weights of its own; then plain layers."""
    seen = (side // patch) ** 2 * width
    layers: list[nn.Module] = [Placed(1, width, side, patch), activation(), nn.Flatten()]
    for place in range(depth):
        layers += [nn.Linear(hidden if place else seen, hidden), activation()]
        layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(hidden if depth else seen, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class Axis(nn.Module):
    """Attention among the pixels of each row, then among those of each column."""

    def __init__(self, width: int, activation: Layer, norm: bool) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) if norm else nn.Identity() for _ in range(3))
        self.rows = nn.MultiheadAttention(width, 2, batch_first=True)
        self.columns = nn.MultiheadAttention(width, 2, batch_first=True)
        self.body = nn.Sequential(
            nn.Linear(width, 2 * width), activation(), nn.Linear(2 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self._along(self.rows, self.norms[0](x))
        turned = self.norms[1](x).transpose(1, 2)
        x = x + self._along(self.columns, turned).transpose(1, 2)
        return x + self.body(self.norms[2](x))

    def _along(self, attend: nn.MultiheadAttention, x: Tensor) -> Tensor:
        lines = x.flatten(0, 1)
        return attend(lines, lines, lines, need_weights=False)[0].unflatten(0, x.shape[:2])


class Axial(nn.Module):
    """Pixels in groups of four, attention along rows and columns, the mean of all."""

    def __init__(  # noqa: PLR0913
        self,
        side: int,
        outputs: int,
        *,
        width: int = 16,
        blocks: int = 1,
        activation: Layer = nn.GELU,
        norm: bool = True,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Conv2d(1, width, 2, 2)
        self.position = nn.Parameter(0.1 * torch.randn(side // 2, side // 2, width))
        self.blocks = nn.Sequential(*[Axis(width, activation, norm) for _ in range(blocks)])
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        x = self.enter(x).permute(0, 2, 3, 1) + self.position
        seen = self.norm(self.blocks(x)).mean((1, 2))
        return self.output(self.head(self.dropout(seen)))
