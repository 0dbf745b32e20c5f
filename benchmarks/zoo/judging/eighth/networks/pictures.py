"""Networks for pictures: one eye at two scales, patches that are mixed by convolutions."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ....models import Residual


class TwoScales(nn.Module):
    """The same convolutions look at a picture and at its half; both views give the answer."""

    def __init__(
        self,
        channels: int,
        outputs: int,
        *,
        width: int = 12,
        groups: int = 0,
    ) -> None:
        super().__init__()
        self.eye = nn.Sequential(
            nn.Conv2d(channels, width, 3, padding=1),
            nn.GroupNorm(groups, width) if groups else nn.Identity(),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveMaxPool2d(3),
            nn.Flatten(),
        )
        self.head = nn.Sequential(nn.Linear(18 * width, 32), nn.ReLU(), nn.Linear(32, outputs))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.cat([self.eye(x), self.eye(F.avg_pool2d(x, 2))], 1))


def patch_mixer(
    channels: int,
    outputs: int,
    *,
    width: int = 24,
    blocks: int = 2,
) -> nn.Sequential:
    """Patches as pixels, mixed over places by one convolution per channel, then over channels."""
    layers: list[nn.Module] = [nn.Conv2d(channels, width, 2, 2), nn.GELU()]
    for _ in range(blocks):
        over_places = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, groups=width),
            nn.GELU(),
            nn.BatchNorm2d(width),
        )
        layers += [Residual(over_places), nn.Conv2d(width, width, 1), nn.GELU()]
        layers.append(nn.BatchNorm2d(width))
    layers += [nn.AdaptiveAvgPool2d(2), nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(4 * width, outputs))
