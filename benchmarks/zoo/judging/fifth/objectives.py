"""Losses of the fifth filling: of lifetimes, lists, margins between classes, codes, quantiles."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Cox(nn.Module):
    """The partial likelihood: who dies first among those who are still there?"""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        time, seen = target.unbind(-1)
        order = torch.argsort(time, descending=True)
        risk, seen = output[order, 0], seen[order]
        likelihood = risk - torch.logcumsumexp(risk, 0)
        return -(likelihood * seen).sum() / seen.sum().clamp(min=1)


class Censored(nn.Module):
    """The negative likelihood of lifetimes of which some were not seen to their end."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        time, seen = target.unbind(-1)
        return (time * output[:, 0].exp() - seen * output[:, 0]).mean()


class Listwise(nn.Module):
    """Cross-entropy between how relevant the candidates of a list are and how they score."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(output, torch.softmax(2 * target, -1))


class Angular(nn.Module):
    """Cosines of outputs to learned directions, of which the right one must win by a margin."""

    def __init__(self, margin: float = 0.2, scale: float = 8.0) -> None:
        super().__init__()
        self.margin = margin
        self.scale = scale

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        wanted = F.one_hot(target, output.shape[-1])
        return F.cross_entropy(self.scale * (torch.tanh(output) - self.margin * wanted), target)


class Quantiles(nn.Module):
    """Pinball losses of three quantiles at once, one for each output."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        wanted = torch.tensor([0.1, 0.5, 0.9])
        error = target - output
        return torch.maximum(wanted * error, (wanted - 1) * error).mean()


class Coded(nn.Module):
    """What was rebuilt, and how far words said are from words of the code."""

    def forward(self, output: tuple[Tensor, Tensor, Tensor], target: Tensor) -> Tensor:
        rebuilt, said, word = output
        there, back = F.mse_loss(word, said.detach()), F.mse_loss(said, word.detach())
        return F.mse_loss(rebuilt, target) + there + 0.25 * back


class Siblings(nn.Module):
    """The two views of a sample must agree, and no two features may say the same."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        del target
        one, other = [(x - x.mean(0)) / (x.std(0) + 1e-4) for x in output.unbind(1)]
        likeness = one.T @ other / len(one)
        wanted = torch.eye(len(likeness))
        weights = wanted + 0.05 * (1 - wanted)
        return (weights * (likeness - wanted).square()).sum() / len(likeness)


class PerClass(nn.Module):
    """Cross-entropy with a weight for each class, as for unequal classes."""

    def __init__(self, *weights: float) -> None:
        super().__init__()
        self.register_buffer("weights", torch.tensor(weights))

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(output, target, self.weights)
