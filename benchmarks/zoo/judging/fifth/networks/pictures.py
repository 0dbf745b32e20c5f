"""Networks for pictures: shuffled channels, convolutions that know where they are, codebooks."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ....models import Layer


class ShuffleBlock(nn.Module):
    """Convolutions in groups, whose channels are then shuffled among the groups."""

    def __init__(self, width: int, groups: int, activation: Layer, norm: bool) -> None:
        super().__init__()
        self.mix = nn.Conv2d(width, width, 1, groups=groups)
        self.look = nn.Conv2d(width, width, 3, padding=1, groups=groups)
        self.first = nn.BatchNorm2d(width) if norm else nn.Identity()
        self.second = nn.BatchNorm2d(width) if norm else nn.Identity()
        self.activation = activation()
        self.shuffle = nn.ChannelShuffle(groups)

    def forward(self, x: Tensor) -> Tensor:
        mixed = self.shuffle(self.activation(self.first(self.mix(x))))
        return self.activation(x + self.second(self.look(mixed)))


def shuffled(  # noqa: PLR0913 - each knob is what some recipe turns
    channels: int,
    outputs: int,
    *,
    width: int = 16,
    blocks: int = 2,
    groups: int = 4,
    activation: Layer = nn.ReLU,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """A strided convolution and shuffled blocks, as ShuffleNet."""
    return nn.Sequential(
        nn.Conv2d(channels, width, 3, 2, padding=1),
        *[ShuffleBlock(width, groups, activation, norm) for _ in range(blocks)],
        nn.AdaptiveAvgPool2d(3),
        nn.Flatten(),
        *([nn.Dropout(dropout)] if dropout else []),
        nn.Linear(9 * width, outputs),
        *([output()] if output else []),
    )


class Places(nn.Module):
    """Puts the row and the column of each pixel beside its channels."""

    def forward(self, x: Tensor) -> Tensor:
        rows = torch.linspace(-1, 1, x.shape[2])[:, None].expand(x.shape[2:])
        columns = torch.linspace(-1, 1, x.shape[3]).expand(x.shape[2:])
        return torch.cat([x, torch.stack([rows, columns]).expand(len(x), -1, -1, -1)], 1)


def coordinates(  # noqa: PLR0913 - each knob is what some recipe turns
    channels: int,
    outputs: int,
    *,
    width: int = 16,
    blocks: int = 3,
    activation: Layer = nn.Mish,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Convolutions that know where they are; the first two go in strides, all have group norm."""
    layers: list[nn.Module] = [Places()]
    for place in range(blocks):
        before, stride = (width if place else channels + 2), (2 if place < 2 else 1)
        layers.append(nn.Conv2d(before, width, 3, stride, padding=1))
        layers += [nn.GroupNorm(4, width)] if norm else []
        layers.append(activation())
    layers += [nn.AdaptiveAvgPool2d(2), nn.Flatten()]
    layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(4 * width, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class Codebook(nn.Module):
    """An autoencoder between whose halves there are only words of a small code."""

    def __init__(
        self, inputs: int, *, width: int = 48, words: int = 24, places: int = 8, letters: int = 4
    ) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(inputs, width), nn.GELU(), nn.Linear(width, places * letters)
        )
        self.code = nn.Parameter(0.5 * torch.randn(words, letters))
        self.decoder = nn.Sequential(
            nn.Linear(places * letters, width), nn.GELU(), nn.Linear(width, inputs)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        said = self.encoder(x).unflatten(1, (-1, self.code.shape[1]))
        nearest = torch.cdist(said, self.code.expand(len(x), -1, -1)).argmin(-1)
        word = self.code[nearest]
        straight = said + (word - said).detach()
        return self.decoder(straight.flatten(1)), said, word
