"""Networks for sequences and sets: fast recurrences, cheap attention, waves, all pairs."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ....models import Layer


class FastRecurrence(nn.Module):
    """Gates that see only the input, and a mean that they weigh, as in quasi-recurrent networks."""

    def __init__(self, width: int, activation: Layer) -> None:
        super().__init__()
        self.gates = nn.Conv1d(width, 3 * width, 2)
        self.activation = activation()

    def forward(self, x: Tensor) -> Tensor:
        gates = self.gates(F.pad(x.transpose(1, 2), (1, 0))).transpose(1, 2)
        value, forget, leave = gates.chunk(3, -1)
        new, keep = self.activation(value), torch.sigmoid(forget)
        state, states = torch.zeros_like(new[:, 0]), []
        for moment in range(x.shape[1]):
            state = keep[:, moment] * state + (1 - keep[:, moment]) * new[:, moment]
            states.append(state)
        return torch.sigmoid(leave) * torch.stack(states, 1)


class QuasiRnn(nn.Module):
    """Fast recurrences; the answer is at every moment or at the last."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        everywhere: bool = False,
        width: int = 24,
        layers: int = 2,
        activation: Layer = nn.Tanh,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.layers = nn.ModuleList(FastRecurrence(width, activation) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()
        self.everywhere = everywhere

    def forward(self, x: Tensor) -> Tensor:
        x = self.enter(x)
        for layer in self.layers:
            x = layer(self.dropout(x))
        return self.output(self.head(x if self.everywhere else x[:, -1]))


class CheapAttention(nn.Module):
    """Attention without a softmax: products of positive features, of the past only."""

    def __init__(self, width: int, norm: bool, divided: bool) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width) if norm else nn.Identity()
        self.ask = nn.Linear(width, 3 * width)
        self.body = nn.Sequential(
            nn.RMSNorm(width) if norm else nn.Identity(),
            nn.Linear(width, 2 * width),
            nn.GELU(),
            nn.Linear(2 * width, width),
        )
        self.divided = divided

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.ask(self.norm(x)).chunk(3, -1)
        weights = ((F.elu(query) + 1) @ (F.elu(key) + 1).transpose(1, 2)).tril()
        if self.divided:
            weights = weights / weights.sum(-1, keepdim=True)
        x = x + weights @ value
        return x + self.body(x)


class LinearAttention(nn.Module):
    """Cheap attention over symbols or vectors; the answer is everywhere or at the last place."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = True,
        everywhere: bool = False,
        width: int = 24,
        layers: int = 2,
        norm: bool = True,
        divided: bool = True,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.place = nn.Parameter(0.5 * torch.randn(48, width))
        self.layers = nn.Sequential(*[CheapAttention(width, norm, divided) for _ in range(layers)])
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()
        self.everywhere = everywhere

    def forward(self, x: Tensor) -> Tensor:
        x = self.dropout(self.enter(x) + self.place[: x.shape[1]])
        x = self.layers(x)
        return self.output(self.head(x if self.everywhere else x[:, -1]))


class Waves(nn.Module):
    """Mixes places and channels by a Fourier transform, which has nothing to learn."""

    def __init__(self, width: int, activation: Layer, norm: bool) -> None:
        super().__init__()
        self.first = nn.LayerNorm(width) if norm else nn.Identity()
        self.second = nn.LayerNorm(width) if norm else nn.Identity()
        self.body = nn.Sequential(
            nn.Linear(width, 2 * width), activation(), nn.Linear(2 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        mixed = torch.fft.fft2(x, norm="ortho").real
        x = self.first(x + mixed)
        return self.second(x + self.body(x))


class FourierMixer(nn.Module):
    """Layers of waves; the mean of all places gives the answer."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        width: int = 24,
        layers: int = 2,
        activation: Layer = nn.GELU,
        norm: bool = True,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.place = nn.Parameter(0.3 * torch.randn(48, width))
        self.layers = nn.Sequential(*[Waves(width, activation, norm) for _ in range(layers)])
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        x = self.layers(self.enter(x) + self.place[: x.shape[1]])
        return self.output(self.head(self.dropout(x.mean(1))))


class Relation(nn.Module):
    """Looks at all pairs of objects; `each` gives one answer for every object."""

    def __init__(  # noqa: PLR0913
        self,
        features: int,
        outputs: int,
        *,
        width: int = 32,
        activation: Layer = nn.ReLU,
        each: bool = False,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.pair = nn.Sequential(
            nn.Linear(2 * features, width), activation(), nn.Linear(width, width), activation()
        )
        self.body = nn.Sequential(nn.Linear(width, width), activation(), nn.Dropout(dropout))
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()
        self.each = each

    def pairs(self, x: Tensor) -> Tensor:
        count = x.shape[1]
        one = x[:, :, None].expand(-1, -1, count, -1)
        other = x[:, None].expand(-1, count, -1, -1)
        return torch.cat([one, other], -1)

    def forward(self, x: Tensor) -> Tensor:
        pairs = self.pair(self.pairs(x))
        seen = pairs.mean(2) if self.each else pairs.mean(2).sum(1)
        answer = self.output(self.head(self.body(seen)))
        return answer.squeeze(-1) if self.each else answer
