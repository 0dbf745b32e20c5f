"""Networks that make or mend points and pictures."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...special import Adversaries
from .tables import wide


class SmoothAdversaries(Adversaries):
    """Adversaries with wide and smooth networks, of one hidden layer in the critic."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.generator = wide(self.noise, width, width=64)
        self.discriminator = wide(width, 1, width=96, depth=1)


class PictureAutoencoder(nn.Module):
    """A variational autoencoder of convolutions; without randomness in evaluation."""

    def __init__(self, side: int, width: int = 12, latent: int = 6) -> None:
        super().__init__()
        small = side // 4
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 4, stride=2, padding=1),
            nn.SiLU(),
            nn.Conv2d(width, width, 4, stride=2, padding=1),
            nn.SiLU(),
            nn.Flatten(),
        )
        self.code = nn.Linear(width * small**2, 2 * latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, width * small**2),
            nn.SiLU(),
            nn.Unflatten(1, (width, small, small)),
            nn.ConvTranspose2d(width, width, 4, stride=2, padding=1),
            nn.SiLU(),
            nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1),
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, logarithm = self.code(self.encoder(x)).chunk(2, -1)
        noise = torch.randn_like(mean) if self.training else torch.zeros_like(mean)
        return self.decoder(mean + noise * torch.exp(logarithm / 2)), mean, logarithm


class Denoiser(nn.Module):
    """Takes noise out of pictures through a narrow middle; adds it itself while it learns."""

    def __init__(self, channels: int, width: int = 16, noise: float = 0.5) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(channels, width, 3, 2, 1), nn.GELU())
        self.middle = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.GELU())
        self.up = nn.ConvTranspose2d(2 * width, channels, 4, 2, 1)
        self.noise = noise

    def forward(self, x: Tensor) -> Tensor:
        noisy = x + self.noise * torch.randn_like(x) if self.training else x
        down = self.down(noisy)
        return self.up(torch.cat([down, self.middle(down)], 1))
