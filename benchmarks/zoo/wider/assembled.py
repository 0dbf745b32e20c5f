"""Networks put together from others: students, pairs, adapters, slow copies, solvers."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from ..data.practised import PLACES
from ..models import Layer, mlp
from ..special import Autoencoder


class Student(nn.Module):
    """A small network beside the large one that teaches it and no longer learns."""

    def __init__(self, inputs: int, outputs: int, *, hidden: int = 16) -> None:
        super().__init__()
        self.student = mlp(inputs, outputs, hidden=hidden, depth=1)
        self.teacher = mlp(inputs, outputs, hidden=64)
        self.teacher.requires_grad_(False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.student(x), self.teacher(x)


class TwoEncoders(nn.Module):
    """The two halves of a sample, each told by a network of its own, and how alike they are."""

    def __init__(self, inputs: int, *, width: int = 16, hidden: int = 64) -> None:
        super().__init__()
        self.half = inputs // 2
        self.one = mlp(self.half, width, hidden=hidden, depth=1)
        self.other = mlp(inputs - self.half, width, hidden=hidden, depth=1, activation=nn.GELU)
        self.warmth = nn.Parameter(torch.tensor(1.5))

    def forward(self, x: Tensor) -> Tensor:
        one = F.normalize(self.one(x[:, : self.half]), dim=-1)
        other = F.normalize(self.other(x[:, self.half :]), dim=-1)
        return self.warmth.exp() * one @ other.T


class Siamese(nn.Module):
    """One network sees both of a pair; the answer is how far apart they are."""

    def __init__(self, inputs: int, *, width: int = 8, hidden: int = 32) -> None:
        super().__init__()
        self.body = mlp(inputs, width, hidden=hidden, depth=1)

    def forward(self, x: Tensor) -> Tensor:
        one, other = self.body(x).unbind(1)
        return (one - other).square().sum(-1, keepdim=True).add(1e-6).sqrt()


class Guessing(nn.Module):
    """Guesses of each of two views what was made of the other, whose part is not trained."""

    def __init__(self, inputs: int, *, width: int = 32, hidden: int = 64) -> None:
        super().__init__()
        self.body = mlp(inputs, width, hidden=hidden, norm=nn.BatchNorm1d)
        self.guess = mlp(width, width, hidden=16, depth=1, norm=nn.BatchNorm1d)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        made = self.body(x.flatten(0, 1))
        guessed = self.guess(made).unflatten(0, x.shape[:2])
        return guessed, made.unflatten(0, x.shape[:2]).flip(1).detach()


class CosineHead(nn.Module):
    """Classes by the angle to a direction each, with a scale that is learned."""

    def __init__(self, inputs: int, outputs: int, *, hidden: int = 48) -> None:
        super().__init__()
        self.body = mlp(inputs, hidden, hidden=hidden, depth=1)
        self.directions = nn.Parameter(torch.randn(outputs, hidden))
        self.scale = nn.Parameter(torch.tensor(5.0))

    def forward(self, x: Tensor) -> Tensor:
        return self.scale * F.linear(
            F.normalize(self.body(x), dim=-1), F.normalize(self.directions, dim=-1)
        )


class Squeezed(nn.Module):
    """Through a narrow middle and out again; gives the middle too."""

    def __init__(self, inputs: int, *, hidden: int = 64, middle: int = 8) -> None:
        super().__init__()
        self.into = mlp(inputs, middle, hidden=hidden, depth=1)
        self.out = mlp(middle, inputs, hidden=hidden, depth=1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        middle = torch.relu(self.into(x))
        return self.out(middle), middle


class WarmedAutoencoder(Autoencoder):
    """Tells beside its output how much the divergence counts: more with every step."""

    def __init__(self, inputs: int, hidden: int, *, steps: int, weight: float = 1.0) -> None:
        super().__init__(inputs, hidden)
        self.weight = weight
        self.steps = steps
        self.register_buffer("step", torch.zeros(()))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        self.step += self.training
        return *super().forward(x), self.weight * (self.step / self.steps).clamp(max=1)


class LowRank(nn.Module):
    """A linear layer that stays, and a product of two thin ones that learns beside it."""

    def __init__(self, layer: nn.Linear, rank: int) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + self.up(self.down(x))


def adapted(network: nn.Sequential, rank: int = 4) -> nn.Sequential:
    """A trained network of which only thin products beside its layers learn."""
    layers = [LowRank(one, rank) if isinstance(one, nn.Linear) else one for one in network]
    return nn.Sequential(*layers)


class Bottlenecks(nn.Module):
    """Layers that stay, after each a narrow detour that learns, and a head that learns."""

    def __init__(self, inputs: int, outputs: int, *, hidden: int = 64, narrow: int = 8) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(inputs, hidden), nn.Linear(hidden, hidden)])
        self.detours = nn.ModuleList(
            mlp(hidden, hidden, hidden=narrow, depth=1, activation=nn.GELU) for _ in self.layers
        )
        self.head = nn.Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        for layer, detour in zip(self.layers, self.detours, strict=True):
            x = torch.relu(layer(x))
            x = x + detour(x)
        return self.head(x)


class Recomputed(nn.Module):
    """Blocks whose insides are computed again in the backward pass instead of being kept."""

    def __init__(self, inputs: int, outputs: int, *, hidden: int = 48, blocks: int = 4) -> None:
        super().__init__()
        self.enter = nn.Linear(inputs, hidden)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(hidden), mlp(hidden, hidden, hidden=hidden, depth=1))
            for _ in range(blocks)
        )
        self.head = nn.Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        x = self.enter(x)
        for block in self.blocks:
            x = x + checkpoint(block, x, use_reentrant=False)
        return self.head(x)


class Weighed(nn.Module):
    """Two tasks of very different size, and how much doubt there is about each."""

    def __init__(self, inputs: int, outputs: int, *, hidden: int = 48) -> None:
        super().__init__()
        self.body = nn.Sequential(mlp(inputs, hidden, hidden=hidden, depth=1), nn.ReLU())
        self.kind = nn.Linear(hidden, outputs)
        self.sums = nn.Linear(hidden, inputs)
        self.doubts = nn.Parameter(torch.zeros(2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        body = self.body(x)
        return self.kind(body), self.sums(body), x, self.doubts


class Worths(nn.Module):
    """What each step from a place is worth, by a fast network and by a slow copy of it."""

    def __init__(self, *, hidden: int = 32, activation: Layer = nn.ReLU) -> None:
        super().__init__()
        self.fast = mlp(PLACES, 2, hidden=hidden, depth=1, activation=activation)
        self.slow = copy.deepcopy(self.fast).requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        steps = x[:, PLACES : PLACES + 2]
        return (self.fast(x[:, :PLACES]) * steps).sum(-1, keepdim=True)


class Spring(nn.Module):
    """Where a spring is at a moment; gives what is left of its equation and of its beginning."""

    def __init__(self, *, hidden: int = 32, activation: Layer = nn.Tanh) -> None:
        super().__init__()
        self.body = mlp(1, 1, hidden=hidden, activation=activation)

    def forward(self, x: Tensor) -> Tensor:
        with torch.enable_grad():
            place, _, bend = self._derivatives(x)
            begin, speed, _ = self._derivatives(torch.zeros_like(x))
            left = torch.cat([bend + place, begin - 1, speed], -1)
        return left if self.training else left.detach()

    def _derivatives(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = x.detach().requires_grad_()
        place = self.body(x)
        speed = torch.autograd.grad(place.sum(), x, create_graph=True)[0]
        return place, speed, torch.autograd.grad(speed.sum(), x, create_graph=True)[0]
