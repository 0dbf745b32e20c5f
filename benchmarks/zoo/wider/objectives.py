"""Sound losses of the wider runs, as people write them themselves."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..data.structured import IGNORED


class SpokenLoss(nn.Module):
    """Connectionist temporal classification of fixed lengths."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        lengths = torch.full((len(output),), output.shape[1])
        spoken = torch.full((len(output),), target.shape[1])
        logarithms = torch.log_softmax(output, -1).transpose(0, 1)
        return F.ctc_loss(logarithms, target, lengths, spoken)


class TagLoss(nn.Module):
    """Cross-entropy at every word; where a sentence has ended nothing counts."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(output.flatten(0, 1), target.flatten(), ignore_index=IGNORED)


class Distilled(nn.Module):
    """Divergence from a smoothed teacher, which knows the class and leaves some doubt."""

    def __init__(self, classes: int, doubt: float = 0.2) -> None:
        super().__init__()
        self.classes = classes
        self.doubt = doubt

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        certain = F.one_hot(target, self.classes).float()
        teacher = (1 - self.doubt) * certain + self.doubt / self.classes
        return F.kl_div(torch.log_softmax(output, -1), teacher, reduction="batchmean")


class Uncertain(nn.Module):
    """Gaussian likelihood of a model that gives a mean and the logarithm of a variance."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        mean, logarithm = output.chunk(2, -1)
        return F.gaussian_nll_loss(mean, target, logarithm.exp())


class AllTriplets(nn.Module):
    """Each sample must be nearer to all of its class than to all of others, by a margin."""

    def __init__(self, margin: float = 0.5) -> None:
        super().__init__()
        self.margin = margin

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        points = F.normalize(output, dim=-1)
        distance = 2 - 2 * points @ points.T
        same = target[:, None] == target[None]
        broken = torch.relu(distance[:, :, None] - distance[:, None, :] + self.margin)
        valid = same[:, :, None] & ~same[:, None, :]
        return (broken * valid).sum() / valid.sum().clamp(min=1)


class CosineTargets(nn.Module):
    """The direction of the output must be that of a fixed vector of its class."""

    def __init__(self, classes: int, width: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(7)
        self.register_buffer("directions", torch.randn(classes, width, generator=generator))

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        ones = torch.ones(len(output))
        return F.cosine_embedding_loss(output, self.directions[target], ones)


class Hinge(nn.Module):
    """What a support vector machine minimises; targets are 0 and 1."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return torch.relu(1 - (2 * target - 1) * output).mean()


class LogCosh(nn.Module):
    """Smooth near zero, straight far away."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        error = output - target
        return (error + F.softplus(-2 * error) - 0.6931).mean()


class Quantile(nn.Module):
    """The pinball loss: nine of ten targets are to lie below the output."""

    def __init__(self, quantile: float = 0.9) -> None:
        super().__init__()
        self.quantile = quantile

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        error = target - output
        return torch.maximum(self.quantile * error, (self.quantile - 1) * error).mean()


class PolicyGradient(nn.Module):
    """REINFORCE: an action is drawn; what it earns above the mean makes it more likely."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        policy = torch.distributions.Categorical(logits=output)
        action = policy.sample()
        reward = (action == target).float()
        gain = reward - reward.mean()
        return -(policy.log_prob(action) * gain).mean() - 0.01 * policy.entropy().mean()


class BothTasks(nn.Module):
    """Cross-entropy of the class and squared error of a quantity that follows from it."""

    def __init__(self, weight: float = 1.0) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, output: tuple[Tensor, Tensor], target: Tensor) -> Tensor:
        kind, quantity = output
        wanted = torch.sqrt(target.float()).unsqueeze(-1)
        return F.cross_entropy(kind, target) + self.weight * F.mse_loss(quantity, wanted)


class NoiseGuessed(nn.Module):
    """How well the noise was guessed that the model had put in itself."""

    def forward(self, output: tuple[Tensor, Tensor], target: Tensor) -> Tensor:
        guessed, noise = output
        return F.mse_loss(guessed, noise)


class WithPenalty(nn.Module):
    """Cross-entropy and a penalty on large outputs, as in calibrated classifiers."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(output, target) + 0.01 * output.square().mean()


class Dice(nn.Module):
    """Half binary cross-entropy, half the share of two areas that do not overlap."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        inside = torch.sigmoid(output)
        both = (inside * target).sum((1, 2, 3))
        dice = 1 - (2 * both + 1) / (inside.sum((1, 2, 3)) + target.sum((1, 2, 3)) + 1)
        return 0.5 * dice.mean() + 0.5 * F.binary_cross_entropy_with_logits(output, target)
