"""Networks for pictures: like VGG, separable, residual, of patches with attention or mixing."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from ...models import Layer


def vgg(  # noqa: PLR0913 - each knob is what some recipe turns
    channels: int,
    outputs: int,
    *,
    width: int = 8,
    blocks: int = 2,
    convolutions: int = 2,
    activation: Layer = nn.ReLU,
    norm: bool = False,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Blocks of convolutions that become wider as the picture shrinks, and a hidden layer.

    The weights start as He and others advise, without which so many layers start slowly.
    """
    layers: list[nn.Module] = []
    before = channels
    for block in range(blocks):
        after = width * 2**block
        layers += [nn.MaxPool2d(2)] if block else []
        for place in range(convolutions):
            layers.append(nn.Conv2d(before, after, 3, 1 if block or place else 2, padding=1))
            layers += [nn.BatchNorm2d(after)] if norm else []
            layers.append(activation())
            before = after
    layers += [nn.AdaptiveAvgPool2d(3), nn.Flatten(), nn.Linear(9 * before, 32), activation()]
    layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(32, outputs))
    for layer in layers[:-1]:
        if isinstance(layer, nn.Conv2d | nn.Linear):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return nn.Sequential(*layers, *([output()] if output else []))


def separable(
    channels: int,
    outputs: int,
    *,
    widths: tuple[int, ...] = (16, 24, 32),
    activation: Layer = nn.Hardswish,
    norm: bool = True,
    output: Layer | None = None,
) -> nn.Sequential:
    """Each channel on its own, then the channels at each place, as in small phones' networks."""
    layers: list[nn.Module] = [nn.Conv2d(channels, widths[0], 3, padding=1), activation()]
    for before, after in pairwise(widths):
        layers.append(nn.Conv2d(before, before, 3, padding=1, stride=2, groups=before))
        layers.append(nn.Conv2d(before, after, 1))
        layers += [nn.BatchNorm2d(after)] if norm else []
        layers.append(activation())
    layers += [nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4 * widths[-1], outputs)]
    return nn.Sequential(*layers, *([output()] if output else []))


class ResidualBlock(nn.Module):
    """Two convolutions beside a way around them."""

    def __init__(self, width: int, norm: bool, scale: float) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1),
            nn.BatchNorm2d(width) if norm else nn.Identity(),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.BatchNorm2d(width) if norm else nn.Identity(),
        )
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.scale * self.body(x))


def resnet(  # noqa: PLR0913
    channels: int,
    outputs: int,
    *,
    width: int = 16,
    blocks: int = 3,
    norm: bool = True,
    scale: float = 1.0,
    dropout: float = 0.0,
) -> nn.Sequential:
    """Residual blocks, at a quarter of the size of the picture."""
    return nn.Sequential(
        nn.Conv2d(channels, width, 3, padding=1, stride=2),
        nn.ReLU(),
        *[ResidualBlock(width, norm, scale) for _ in range(blocks)],
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        *([nn.Dropout(dropout)] if dropout else []),
        nn.Linear(4 * width, outputs),
    )


class Patches(nn.Module):
    """A picture as a sequence of patches, each a vector."""

    def __init__(self, channels: int, size: int, width: int) -> None:
        super().__init__()
        self.cut = nn.Conv2d(channels, width, size, stride=size)

    def forward(self, x: Tensor) -> Tensor:
        return self.cut(x).flatten(2).transpose(1, 2)


class VisionTransformer(nn.Module):
    """Attention between patches and one more token, which gives the answer."""

    def __init__(  # noqa: PLR0913
        self,
        channels: int,
        outputs: int,
        *,
        patch: int,
        patches: int,
        width: int = 32,
        layers: int = 2,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.patches = Patches(channels, patch, width)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(0.02 * torch.randn(1, patches + 1, width))
        layer = nn.TransformerEncoderLayer(
            width, 2, 2 * width, dropout, "gelu", batch_first=True, norm_first=True
        )
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.position
        return self.output(self.head(self.norm(self.body(x))[:, 0]))


class MixerBlock(nn.Module):
    """One network across the patches, then one across the channels."""

    def __init__(self, patches: int, width: int, norm: bool) -> None:
        super().__init__()
        self.first = nn.LayerNorm(width) if norm else nn.Identity()
        self.across = nn.Sequential(
            nn.Linear(patches, 2 * patches), nn.GELU(), nn.Linear(2 * patches, patches)
        )
        self.second = nn.LayerNorm(width) if norm else nn.Identity()
        self.channels = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.across(self.first(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.second(x))


class Mixer(nn.Module):
    """Patches that talk to one another through linear layers only."""

    def __init__(  # noqa: PLR0913
        self,
        channels: int,
        outputs: int,
        *,
        patch: int,
        patches: int,
        width: int = 32,
        blocks: int = 2,
        norm: bool = True,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.patches = Patches(channels, patch, width)
        self.body = nn.Sequential(*[MixerBlock(patches, width, norm) for _ in range(blocks)])
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.head(self.dropout(self.body(self.patches(x)).mean(1))))
