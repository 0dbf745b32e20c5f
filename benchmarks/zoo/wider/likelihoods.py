"""More sound losses of the wider runs: likelihoods, ranks, likenesses, agreements, margins."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Taught(nn.Module):
    """What the student says beside what the teacher says, both softened."""

    def __init__(self, warmth: float = 3.0) -> None:
        super().__init__()
        self.warmth = warmth

    def forward(self, output: tuple[Tensor, Tensor], target: Tensor) -> Tensor:
        student, teacher = (one / self.warmth for one in output)
        soft = F.kl_div(
            torch.log_softmax(student, -1), torch.softmax(teacher, -1), reduction="batchmean"
        )
        return 0.3 * F.cross_entropy(output[0], target) + self.warmth**2 * soft


class Matched(nn.Module):
    """Each sample of a batch must be most alike to itself, seen from both sides."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        del target
        own = torch.arange(len(output))
        return (F.cross_entropy(output, own) + F.cross_entropy(output.T, own)) / 2


class Apart(nn.Module):
    """Those that belong together must be near, the others farther than a margin."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        near = target * output.square()
        far = (1 - target) * torch.relu(2 - output).square()
        return (near + far).mean()


class Agreement(nn.Module):
    """Minus the cosine between a guess and what was to be guessed: ends near minus one."""

    def forward(self, output: tuple[Tensor, Tensor], target: Tensor) -> Tensor:
        del target
        return -F.cosine_similarity(*output, dim=-1).mean()


class Spread(nn.Module):
    """Two views must agree, every feature must vary, no two may vary together."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        del target
        one, other = output.unbind(1)
        alike = F.mse_loss(one, other)
        return 10 * alike + sum(self._of(x) for x in (one, other))

    def _of(self, x: Tensor) -> Tensor:
        varies = torch.relu(1 - (x.var(0) + 1e-4).sqrt()).mean()
        covariance = x.T.cov()
        together = (covariance - covariance.diag().diag()).square().sum() / x.shape[1]
        return 10 * varies + together


class Sparse(nn.Module):
    """What was rebuilt, and how much of the middle was used."""

    def forward(self, output: tuple[Tensor, Tensor], target: Tensor) -> Tensor:
        rebuilt, middle = output
        return F.mse_loss(rebuilt, target) + 0.01 * middle.abs().mean()


class WarmedDivergence(nn.Module):
    """The loss of a variational autoencoder that says how much the second part counts by now."""

    def forward(self, output: tuple[Tensor, Tensor, Tensor, Tensor], target: Tensor) -> Tensor:
        rebuilt, mean, logarithm, share = output
        divergence = -0.5 * (1 + logarithm - mean.square() - logarithm.exp()).sum(1).mean()
        return (rebuilt - target).square().sum(1).mean() + share * divergence


class Mixture(nn.Module):
    """Likelihood under a mixture of normal distributions that the model gives."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        weights, means, logarithms = output.chunk(3, -1)
        each = -0.5 * ((target - means) / logarithms.exp()).square() - logarithms
        together = torch.logsumexp(torch.log_softmax(weights, -1) + each, -1)
        return (0.5 * math.log(2 * math.pi) - together).mean()


class ThreeQuantiles(nn.Module):
    """One output for each of three quantiles."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        error = target - output
        wanted = torch.tensor([0.05, 0.5, 0.95])
        return torch.maximum(wanted * error, (wanted - 1) * error).sum(-1).mean()


class Dispersed(nn.Module):
    """Negative binomial likelihood of counts: the mean and how far they scatter."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        mean, scatter = F.softplus(output).add(1e-3).chunk(2, -1)
        inverse = 1 / scatter
        return (
            torch.lgamma(inverse)
            + torch.lgamma(target + 1)
            - torch.lgamma(target + inverse)
            - inverse * torch.log(inverse / (inverse + mean))
            - target * torch.log(mean / (inverse + mean))
        ).mean()


class Waiting(nn.Module):
    """Exponential likelihood of waiting times, by the logarithm of their mean."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return (output + target * torch.exp(-output)).mean()


class FirstToEnd(nn.Module):
    """Cox: who ends first among those that are still there?"""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        time, seen = target.unbind(-1)
        order = torch.argsort(time, descending=True)
        risk = output[order, 0]
        return -((risk - torch.logcumsumexp(risk, 0)) * seen[order]).sum() / seen.sum().clamp(min=1)


class Steps(nn.Module):
    """Ordered classes: of each border, whether the sample is above it."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        above = (target[:, None] > torch.arange(output.shape[1])).float()
        return F.binary_cross_entropy_with_logits(output, above)


class BetterOfTwo(nn.Module):
    """Of all pairs of a list, the more relevant one must score higher."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        scores = output.squeeze(-1)
        margin = scores[:, :, None] - scores[:, None, :]
        better = (target[:, :, None] > target[:, None, :]).float()
        return (F.softplus(-margin) * better).sum() / better.sum().clamp(min=1)


class BalancedFocal(nn.Module):
    """Binary cross-entropy that cares for the rare and for what is not yet learned."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        loss = F.binary_cross_entropy_with_logits(output, target, reduction="none")
        weight = 0.75 * target + 0.25 * (1 - target)
        return (weight * (1 - torch.exp(-loss)) ** 2 * loss).mean()


class Forgiving(nn.Module):
    """Generalised cross-entropy: a label that seems quite wrong counts for less."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        chosen = torch.softmax(output, -1).gather(-1, target[:, None])
        return ((1 - chosen**0.5) / 0.5).mean()


class Brier(nn.Module):
    """Squared error of the probabilities."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        wanted = F.one_hot(target, output.shape[-1])
        return (torch.softmax(output, -1) - wanted).square().sum(-1).mean()


class Doubted(nn.Module):
    """Two tasks, each divided by the doubt about it, which is learned too."""

    def forward(self, output: tuple[Tensor, Tensor, Tensor, Tensor], target: Tensor) -> Tensor:
        kind, sums, seen, doubts = output
        losses = torch.stack([F.cross_entropy(kind, target), F.mse_loss(sums, seen)])
        return (torch.exp(-doubts) * losses + doubts).sum()
