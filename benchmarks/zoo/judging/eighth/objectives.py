"""Losses of the eighth filling: two questions at once, the answer of every stage."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def with_parity(digit: Tensor) -> Tensor:
    """Two questions about a digit: which one, and is it odd?"""
    return torch.stack([digit, digit % 2], 1)


class DigitAndParity(nn.Module):
    """Cross-entropy of the first ten outputs, binary cross-entropy of the eleventh."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        digit, odd = target.unbind(1)
        which = F.cross_entropy(output[:, :10], digit)
        return which + 0.5 * F.binary_cross_entropy_with_logits(output[:, 10], odd.float())


class EveryStage(nn.Module):
    """The squared error after each stage, of which later ones count more."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        errors = (output - target.unsqueeze(1)).square().mean((0, 2))
        weights = torch.arange(1, len(errors) + 1) / len(errors)
        return (weights * errors).sum() / weights.sum()
