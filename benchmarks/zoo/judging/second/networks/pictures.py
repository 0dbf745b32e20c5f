"""Networks for pictures: LeNet, inception, a U-shaped one, convolutions before an LSTM."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from ....models import Layer


def lenet(  # noqa: PLR0913 - each knob is what some recipe turns
    side: int,
    outputs: int,
    *,
    width: int = 8,
    convolutions: int = 1,
    hidden: int = 48,
    activation: Layer = nn.Tanh,
    output: Layer | None = None,
) -> nn.Sequential:
    """Two stages of convolution and averaging, then two linear layers."""
    layers: list[nn.Module] = []
    for before, after in pairwise([1, width, 2 * width]):
        for place in range(convolutions):
            layers.append(nn.Conv2d(after if place else before, after, 3, padding=1))
            layers.append(activation())
        layers.append(nn.AvgPool2d(2))
    layers += [nn.Flatten(), nn.Linear(2 * width * (side // 4) ** 2, hidden), activation()]
    layers.append(nn.Linear(hidden, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class InceptionBlock(nn.Module):
    """Convolutions of three sizes side by side, normalised together."""

    def __init__(self, before: int, branch: int, norm: bool) -> None:
        super().__init__()
        self.point = nn.Conv2d(before, branch, 1)
        self.small = nn.Conv2d(before, branch, 3, padding=1)
        self.large = nn.Conv2d(before, branch, 5, padding=2)
        self.norm = nn.BatchNorm2d(3 * branch) if norm else nn.Identity()
        self.activation = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        parts = torch.cat([self.point(x), self.small(x), self.large(x)], 1)
        return self.activation(self.norm(parts))


def inception(  # noqa: PLR0913
    channels: int,
    outputs: int,
    *,
    branch: int = 6,
    blocks: int = 2,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Inception blocks, the first two followed by pooling, then the mean over the picture."""
    layers: list[nn.Module] = []
    for place, before in enumerate([channels, *[3 * branch] * (blocks - 1)]):
        layers.append(InceptionBlock(before, branch, norm))
        layers += [nn.MaxPool2d(2)] if place < 2 else []
    layers += [nn.AdaptiveAvgPool2d(2), nn.Flatten()]
    layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(12 * branch, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class Unet(nn.Module):
    """Down twice, up twice, with bridges between equal sizes; one answer per pixel."""

    def __init__(
        self, channels: int, outputs: int, *, width: int = 8, output: Layer | None = None
    ) -> None:
        super().__init__()
        self.enter = _two(channels, width)
        self.down = _two(width, 2 * width)
        self.middle = _two(2 * width, 2 * width)
        self.up = _two(4 * width, width)
        self.leave = _two(2 * width, width)
        self.head = nn.Conv2d(width, outputs, 1)
        self.pool = nn.MaxPool2d(2)
        self.enlarge = nn.Upsample(scale_factor=2)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        large = self.enter(x)
        small = self.down(self.pool(large))
        middle = self.middle(self.pool(small))
        small = self.up(torch.cat([small, self.enlarge(middle)], 1))
        large = self.leave(torch.cat([large, self.enlarge(small)], 1))
        return self.output(self.head(large))


def _two(before: int, after: int) -> nn.Sequential:
    """A convolution, a norm over groups of channels, a ReLU."""
    return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(2, after), nn.ReLU())


class ConvLstm(nn.Module):
    """Convolutions see each frame, an LSTM sees what they found."""

    def __init__(
        self,
        side: int,
        outputs: int,
        *,
        width: int = 6,
        hidden: int = 32,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.eyes = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten()
        )
        self.body = nn.LSTM(width * (side // 2) ** 2, hidden, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(hidden, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        seen = self.eyes(x.flatten(0, 1).unsqueeze(1)).unflatten(0, x.shape[:2])
        return self.output(self.head(self.dropout(self.body(seen)[0][:, -1])))
