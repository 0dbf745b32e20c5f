"""Networks whose loss need not fall as losses do: flows, critics, actors, prototypes."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ....models import mlp


class Coupling(nn.Module):
    """Shifts and stretches one half of the features by what the other half says."""

    def __init__(self, width: int, first: bool, hidden: int) -> None:
        super().__init__()
        self.first = first
        self.half = width // 2
        self.network = mlp(width - self.half, 2 * self.half, hidden=hidden, depth=1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        changed, kept = x[:, : self.half], x[:, self.half :]
        if not self.first:
            kept, changed = x[:, : x.shape[1] - self.half], x[:, x.shape[1] - self.half :]
        shift, stretch = self.network(kept).chunk(2, -1)
        stretch = torch.tanh(stretch)
        changed = changed * stretch.exp() + shift
        parts = [changed, kept] if self.first else [kept, changed]
        return torch.cat(parts, 1), stretch.sum(1)


class Flow(nn.Module):
    """Turns points into noise, keeping account of the volume."""

    def __init__(self, width: int, *, layers: int = 6, hidden: int = 32) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            Coupling(width, place % 2 == 0, hidden) for place in range(layers)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        volume = torch.zeros(len(x))
        for layer in self.layers:
            x, change = layer(x)
            volume = volume + change
        return x, volume


class FlowLoss(nn.Module):
    """The negative likelihood of points under a flow."""

    def forward(self, output: tuple[Tensor, Tensor], target: Tensor) -> Tensor:
        noise, volume = output
        likelihood = -0.5 * noise.square().sum(1) - 0.5 * noise.shape[1] * math.log(2 * math.pi)
        return -(likelihood + volume).mean()


class ActorCritic(nn.Module):
    """One body; the odds of each action, and what is expected to be earned."""

    def __init__(self, inputs: int, actions: int, *, width: int = 48) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()
        )
        self.actor = nn.Linear(width, actions)
        self.critic = nn.Linear(width, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        body = self.body(x)
        return self.actor(body), self.critic(body).squeeze(-1)


class ActorCriticLoss(nn.Module):
    """Actions that earn more than was expected become likelier; expectation follows earnings."""

    def forward(self, output: tuple[Tensor, Tensor], target: Tensor) -> Tensor:
        odds, expected = output
        policy = torch.distributions.Categorical(logits=odds)
        action = policy.sample()
        earned = (action == target).float()
        gain = (earned - expected).detach()
        acting = -(policy.log_prob(action) * gain).mean()
        return acting + 0.5 * F.mse_loss(expected, earned) - 0.01 * policy.entropy().mean()


class Prototypes(nn.Module):
    """Points in a space in which each class has a place; the nearest place is the answer."""

    def __init__(self, inputs: int, classes: int, *, width: int = 32) -> None:
        super().__init__()
        self.body = mlp(inputs, 8, hidden=width, activation=nn.GELU)
        self.places = nn.Parameter(torch.randn(classes, 8))

    def forward(self, x: Tensor) -> Tensor:
        return -torch.cdist(self.body(x), self.places).square()


class Ordered(nn.Module):
    """Ordinal cross-entropy: of each border, is the grade above it?"""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        above = (target[:, None] > torch.arange(output.shape[1])).float()
        return F.binary_cross_entropy_with_logits(output, above)


class Waiting(nn.Module):
    """The negative likelihood of waiting times by the logarithm of their rate."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return (target * output.exp() - output).mean()


class Ranked(nn.Module):
    """Of every two samples, the one with the larger target must get the larger output."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        gap = output - output.T
        larger = torch.sign(target - target.T)
        return F.softplus(-larger * gap)[larger != 0].mean()


class Poly(nn.Module):
    """Cross-entropy with a term that presses on confident mistakes."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        right = torch.softmax(output, -1).gather(1, target[:, None]).squeeze(1)
        return (F.cross_entropy(output, target, reduction="none") + 1 - right).mean()


class Likeness(nn.Module):
    """Supervised contrast: samples of a class attract one another among the batch."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        points = F.normalize(output, dim=-1)
        scores = points @ points.T / 0.3 - 1e4 * torch.eye(len(points))
        same = (target[:, None] == target[None]).float() - torch.eye(len(points))
        attract = (torch.log_softmax(scores, -1) * same).sum(1) / same.sum(1).clamp(min=1)
        return -attract.mean()
