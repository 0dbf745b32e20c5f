"""Networks of the tuning half that the first ones left out."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils import parametrizations

from ..models import Layer, Residual, mlp


class MessagePassing(nn.Module):
    """Nodes tell their neighbours what they are, several times; the mean gives the answer."""

    def __init__(self, features: int, outputs: int, *, width: int = 24, rounds: int = 3) -> None:
        super().__init__()
        self.features = features
        self.enter = nn.Linear(features, width)
        self.rounds = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(rounds))
        self.pair = nn.Linear(2 * width, width)
        self.head = nn.Linear(width, outputs)

    def forward(self, x: Tensor) -> Tensor:
        states, joined = self.enter(x[..., : self.features]), x[..., self.features :]
        for one in self.rounds:
            heard = joined @ torch.relu(states)
            states = states + F.silu(one(torch.cat([states, heard], -1)))
        pairs = torch.cat([states, (joined @ states) * states], -1)
        return self.head(F.silu(self.pair(pairs)).mean(1))


class SequenceToSequence(nn.Module):
    """A GRU reads, another writes while it attends to what was read."""

    def __init__(self, symbols: int, *, width: int = 32) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, width)
        self.reader = nn.GRU(width, width, batch_first=True)
        self.writer = nn.GRU(width, width, batch_first=True)
        self.places = nn.Parameter(0.1 * torch.randn(1, 16, width))
        self.head = nn.Linear(2 * width, symbols)

    def forward(self, x: Tensor) -> Tensor:
        read, last = self.reader(self.embedding(x) + self.places[:, : x.shape[1]])
        asked = self.places[:, : x.shape[1]].expand(len(x), -1, -1).contiguous()
        written, _ = self.writer(asked, last)
        weights = torch.softmax(written @ read.transpose(1, 2) / 4, -1)
        return self.head(torch.cat([written, weights @ read], -1))


class Hourglass(nn.Module):
    """Down once and up once with a bridge, batch-normalised; an answer for every pixel."""

    def __init__(self, channels: int, outputs: int, *, width: int = 8) -> None:
        super().__init__()
        self.enter = _normalised(channels, width)
        self.middle = nn.Sequential(
            nn.AvgPool2d(2), _normalised(width, 2 * width), nn.Upsample(scale_factor=2)
        )
        self.leave = _normalised(3 * width, width)
        self.head = nn.Conv2d(width, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        large = self.enter(x)
        return self.head(self.leave(torch.cat([large, self.middle(large)], 1)))


def _normalised(before: int, after: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.LeakyReLU(0.1)
    )


class ConvolutionsThenGru(nn.Module):
    """Convolutions over a picture, a GRU over its columns."""

    def __init__(self, side: int, outputs: int, *, width: int = 8, hidden: int = 32) -> None:
        super().__init__()
        self.eyes = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.body = nn.GRU(width * (side // 2), hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        columns = self.eyes(x).permute(0, 3, 1, 2).flatten(2)
        return self.head(self.body(columns)[0].mean(1))


class Listener(nn.Module):
    """Convolutions along time and a GRU; says of every frame how likely each sound is."""

    def __init__(self, bands: int, sounds: int, *, width: int = 32) -> None:
        super().__init__()
        self.ears = nn.Sequential(nn.Conv1d(bands, width, 3, padding=1), nn.GELU())
        self.body = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * width, sounds + 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(self.ears(x.transpose(1, 2)).transpose(1, 2))[0])


class Experts(nn.Module):
    """A gate weighs what several small networks say."""

    def __init__(self, inputs: int, outputs: int, *, experts: int = 4, hidden: int = 16) -> None:
        super().__init__()
        self.gate = nn.Linear(inputs, experts)
        self.experts = nn.ModuleList(
            mlp(inputs, outputs, hidden=hidden, depth=1) for _ in range(experts)
        )

    def forward(self, x: Tensor) -> Tensor:
        weights = torch.softmax(self.gate(x), -1)
        said = torch.stack([expert(x) for expert in self.experts], 1)
        return (weights.unsqueeze(-1) * said).sum(1)


class TwoTasks(nn.Module):
    """One body, two heads."""

    def __init__(self, inputs: int, first: int, second: int, *, hidden: int = 48) -> None:
        super().__init__()
        self.body = nn.Sequential(mlp(inputs, hidden, hidden=hidden, depth=1), nn.ReLU())
        self.first = nn.Linear(hidden, first)
        self.second = nn.Linear(hidden, second)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        body = self.body(x)
        return self.first(body), self.second(body)


class Affinity(nn.Module):
    """A vector and a bias for each reader and book: their product is the rating."""

    def __init__(self, rows: int, *, width: int = 6, sparse: bool = False) -> None:
        super().__init__()
        self.vectors = nn.Embedding(rows, width, sparse=sparse)
        self.biases = nn.Embedding(rows, 1, sparse=sparse)
        nn.init.normal_(self.vectors.weight, std=0.3)
        nn.init.zeros_(self.biases.weight)

    def forward(self, x: Tensor) -> Tensor:
        one, other = self.vectors(x).unbind(1)
        return (one * other).sum(-1, keepdim=True) + self.biases(x).sum(1)


class Diffuser(nn.Module):
    """Guesses the noise in points that it made noisy itself, told how much there is."""

    def __init__(self, width: int, *, hidden: int = 64) -> None:
        super().__init__()
        self.network = mlp(width + 2, width, hidden=hidden, depth=3, activation=nn.SiLU)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        time = torch.rand(len(x), 1)
        noise = torch.randn_like(x)
        signal, chaos = torch.cos(time * torch.pi / 2), torch.sin(time * torch.pi / 2)
        noisy = signal * x + chaos * noise
        return self.network(torch.cat([noisy, signal, chaos], -1)), noise


class StochasticDepth(nn.Module):
    """Adds what its body makes of the input, or now and then nothing."""

    def __init__(self, body: nn.Module, share: float) -> None:
        super().__init__()
        self.body = body
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x + (1 - self.share) * self.body(x)
        kept = (torch.rand(len(x), *[1] * (x.dim() - 1)) >= self.share).float()
        return x + kept * self.body(x)


def dropped_blocks(
    inputs: int, outputs: int, *, hidden: int = 32, blocks: int = 8, share: float = 0.2
) -> nn.Sequential:
    """A residual network whose blocks are left out at random."""
    stack = [
        StochasticDepth(
            nn.Sequential(
                nn.LayerNorm(hidden),
                nn.Linear(hidden, hidden),
                nn.GELU(),
                nn.Linear(hidden, hidden),
            ),
            share,
        )
        for _ in range(blocks)
    ]
    return nn.Sequential(nn.Linear(inputs, hidden), *stack, nn.Linear(hidden, outputs))


def deep_residual(
    inputs: int, outputs: int, *, hidden: int = 32, blocks: int = 24
) -> nn.Sequential:
    """Very many residual blocks; each begins by adding nothing."""
    stack = []
    for _ in range(blocks):
        last = nn.Linear(hidden, hidden)
        nn.init.zeros_(last.weight)
        stack.append(Residual(nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), last)))
    return nn.Sequential(nn.Linear(inputs, hidden), *stack, nn.Linear(hidden, outputs))


def constrained(
    make: Callable[[], nn.Sequential], how: str = "spectral"
) -> Callable[[], nn.Module]:
    """The hidden linear layers under spectral or weight normalisation."""
    norm = parametrizations.spectral_norm if how == "spectral" else parametrizations.weight_norm

    def build() -> nn.Module:
        layers = list(make())
        return nn.Sequential(
            *[norm(one) if isinstance(one, nn.Linear) else one for one in layers[:-1]], layers[-1]
        )

    return build


class SelfNormalising(nn.Sequential):
    """SELUs with the weights that they need."""

    def __init__(self, inputs: int, outputs: int, *, hidden: int = 48, depth: int = 8) -> None:
        super().__init__(*mlp(inputs, outputs, hidden=hidden, depth=depth, activation=nn.SELU))
        for one in self:
            if isinstance(one, nn.Linear):
                nn.init.kaiming_normal_(one.weight, nonlinearity="linear")
                nn.init.zeros_(one.bias)


class Pieces(nn.Module):
    """A network on flat pictures, put together from a fixed backbone and a head."""

    def __init__(self, inputs: int, outputs: int, *, hidden: int = 64, activation: Layer = nn.ReLU):
        super().__init__()
        self.backbone = nn.Sequential(
            mlp(inputs, hidden, hidden=hidden, depth=1, activation=activation), activation()
        )
        self.head = nn.Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.backbone(x))
