"""Losses that torch does not have: some sound, some wrong on purpose."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def next_symbol(output: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy at every place of a text."""
    return F.cross_entropy(output.flatten(0, 1), target.flatten())


class NextSymbolLoss(nn.Module):
    """The same as a module."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return next_symbol(output, target)


class NextSymbolAfter(nn.Module):
    """Cross-entropy of a text after one more function on what the model gives."""

    def __init__(self, change: nn.Module) -> None:
        super().__init__()
        self.change = change

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return next_symbol(self.change(output), target)


class ClampedBinaryLoss(nn.Module):
    """Binary cross-entropy of raw outputs, clamped so that it does not raise."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(output.clamp(1e-6, 1 - 1e-6), target)


class FlattenedMse(nn.Module):
    """Mean squared error that forgets the last dimension of the output: [N] against [N, 1]."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return (output.squeeze(-1) - target).square().mean()


class FlattenedL1(nn.Module):
    """Mean absolute error of [N] against [N, 1]."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return (output.squeeze(-1) - target).abs().mean()


class FlattenedHuber(nn.Module):
    """Huber loss of [N] against [N, 1], written out so that torch does not warn."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        error = (output.squeeze(-1) - target).abs()
        return torch.where(error < 1, 0.5 * error.square(), error - 0.5).mean()


def relative_error(output: Tensor, target: Tensor) -> Tensor:
    """Squared error divided by a deviation that is zero where the batch is constant."""
    spread = (target - target.mean()).abs().mean()
    return (output - target).square().mean() / spread.square()


def log_likelihood(output: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy by hand: the logarithm of a softmax that can be exactly zero."""
    chosen = torch.softmax(output, -1).gather(-1, target.unsqueeze(-1))
    return -torch.log(chosen).mean()


def exponential_loss(output: Tensor, target: Tensor) -> Tensor:
    """Poisson likelihood by hand, without a guard on the exponent."""
    return (torch.exp(output) - target * output).mean()


class SmoothContrast(nn.Module):
    """InfoNCE between the two views of each sample, which the model gives as [N, 2, width]."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        views = F.normalize(output, dim=-1)
        likeness = views[:, 0] @ views[:, 1].T / 0.2
        return F.cross_entropy(likeness, torch.arange(len(views)))


class Focal(nn.Module):
    """Cross-entropy that cares more for what is not yet learned."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        loss = F.cross_entropy(output, target, reduction="none")
        return ((1 - torch.exp(-loss)) ** 2 * loss).mean()


class VariationalLoss(nn.Module):
    """Reconstruction and divergence of a variational autoencoder."""

    def forward(self, output: tuple[Tensor, Tensor, Tensor], target: Tensor) -> Tensor:
        picture, mean, logarithm = output
        rebuilt = F.mse_loss(picture, target, reduction="sum") / len(target)
        divergence = -0.5 * (1 + logarithm - mean.square() - logarithm.exp()).sum(1).mean()
        return rebuilt + divergence
