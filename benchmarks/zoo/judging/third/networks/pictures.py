"""Networks for pictures: squeezed, densely joined, with large kernels, one answer per pixel."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ....models import Layer


class SqueezeBlock(nn.Module):
    """A convolution whose channels are weighed by what the whole picture says of them."""

    def __init__(self, before: int, after: int, activation: Layer, norm: bool) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(before, after, 3, padding=1)
        self.norm = nn.BatchNorm2d(after) if norm else nn.Identity()
        self.activation = activation()
        self.squeeze = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(after, after // 2), nn.ReLU()
        )
        self.excite = nn.Sequential(nn.Linear(after // 2, after), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        x = self.activation(self.norm(self.convolution(x)))
        return x * self.excite(self.squeeze(x))[:, :, None, None]


def squeezed(  # noqa: PLR0913 - each knob is what some recipe turns
    channels: int,
    outputs: int,
    *,
    width: int = 12,
    blocks: int = 3,
    activation: Layer = nn.ReLU,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Squeeze-and-excitation blocks, the first two followed by pooling."""
    layers: list[nn.Module] = []
    for place in range(blocks):
        layers.append(SqueezeBlock(width if place else channels, width, activation, norm))
        layers += [nn.MaxPool2d(2)] if place < 2 else []
    layers += [nn.AdaptiveAvgPool2d(2), nn.Flatten()]
    layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(4 * width, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class Joined(nn.Module):
    """A convolution whose output is put beside its input."""

    def __init__(self, before: int, growth: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.BatchNorm2d(before), nn.ReLU(), nn.Conv2d(before, growth, 3, padding=1)
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([x, self.body(x)], 1)


def joined(
    channels: int, outputs: int, *, growth: int = 6, layers: int = 4, dropout: float = 0.0
) -> nn.Sequential:
    """A densely joined network, as DenseNet."""
    widths = [8 + growth * place for place in range(layers + 1)]
    return nn.Sequential(
        nn.Conv2d(channels, 8, 3, 2, padding=1),
        *[Joined(width, growth) for width in widths[:-1]],
        nn.BatchNorm2d(widths[-1]),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        *([nn.Dropout(dropout)] if dropout else []),
        nn.Linear(4 * widths[-1], outputs),
    )


class LargeKernel(nn.Module):
    """A large convolution of each channel, a norm, a small network, a way around, as ConvNeXt."""

    def __init__(self, width: int, scale: float) -> None:
        super().__init__()
        self.across = nn.Conv2d(width, width, 5, padding=2, groups=width)
        self.norm = nn.LayerNorm(width)
        self.body = nn.Sequential(
            nn.Linear(width, 3 * width), nn.GELU(), nn.Linear(3 * width, width)
        )
        self.scale = nn.Parameter(torch.full((width,), scale))

    def forward(self, x: Tensor) -> Tensor:
        change = self.body(self.norm(self.across(x).permute(0, 2, 3, 1)))
        return x + (self.scale * change).permute(0, 3, 1, 2)


def large_kernels(
    channels: int, outputs: int, *, width: int = 16, blocks: int = 2, scale: float = 0.5
) -> nn.Sequential:
    """Blocks of large kernels on small patches."""
    return nn.Sequential(
        nn.Conv2d(channels, width, 2, 2),
        *[LargeKernel(width, scale) for _ in range(blocks)],
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.LayerNorm(4 * width),
        nn.Linear(4 * width, outputs),
    )


class Dilated(nn.Sequential):
    """Convolutions that look farther and farther, at the full size of the picture."""

    def __init__(self, channels: int, outputs: int, *, width: int = 8) -> None:
        layers: list[nn.Module] = []
        for place, spread in enumerate((1, 2, 4)):
            before = width if place else channels
            layers.append(nn.Conv2d(before, width, 3, padding=spread, dilation=spread))
            layers += [nn.InstanceNorm2d(width, affine=True), nn.Mish()]
        super().__init__(*layers, nn.Conv2d(width, outputs, 1))


class MaskedAutoencoder(nn.Module):
    """Hides half of the pixels while it learns, and says what the picture was."""

    def __init__(self, inputs: int, *, width: int = 64) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(inputs, width), nn.GELU(), nn.Linear(width, width))
        self.decoder = nn.Sequential(nn.GELU(), nn.LayerNorm(width), nn.Linear(width, inputs))

    def forward(self, x: Tensor) -> Tensor:
        shown = (torch.rand_like(x) < 0.5).float() if self.training else 1.0
        return self.decoder(self.encoder(shown * x))
