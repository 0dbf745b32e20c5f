"""Networks for sequences and graphs: gates along time, slow states, questions, neighbours."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ....models import Layer


class GatedConvolution(nn.Module):
    """A tanh and a gate along time, beside a way around them, as in networks for sound."""

    def __init__(self, width: int, dilation: int, around: bool) -> None:
        super().__init__()
        self.past = dilation
        self.both = nn.Conv1d(width, 2 * width, 2, dilation=dilation)
        self.leave = nn.Conv1d(width, width, 1)
        self.around = around

    def forward(self, x: Tensor) -> Tensor:
        value, gate = self.both(F.pad(x, (self.past, 0))).chunk(2, 1)
        change = self.leave(torch.tanh(value) * torch.sigmoid(gate))
        return x + change if self.around else change


class WaveNet(nn.Module):
    """Gated convolutions that look farther and farther back; the mean or last place answers."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        width: int = 20,
        layers: int = 4,
        around: bool = True,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.layers = nn.ModuleList(
            GatedConvolution(width, 2 ** (place % 4), around) for place in range(layers)
        )
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()
        self.everywhere = symbols

    def forward(self, x: Tensor) -> Tensor:
        x = self.enter(x).transpose(1, 2)
        for layer in self.layers:
            x = layer(x)
        x = self.dropout(F.relu(x)).transpose(1, 2)
        return self.output(self.head(x if self.everywhere else x[:, -1]))


class SlowStates(nn.Module):
    """Each channel forgets at a rate of its own: a linear recurrence without a loop."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.rates = nn.Parameter(torch.linspace(-3, 3, width))
        self.mix = nn.Linear(width, 2 * width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        keep = torch.sigmoid(self.rates)
        moment = torch.arange(x.shape[1])
        age = (moment[:, None] - moment)[..., None]
        weights = keep ** age.clamp(min=0) * (age >= 0) * (1 - keep)
        states = torch.einsum("tsw,nsw->ntw", weights, self.norm(x))
        value, gate = self.mix(states).chunk(2, -1)
        return x + value * torch.sigmoid(gate)


class StateSpace(nn.Module):
    """A stack of slow states over vectors or symbols."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        width: int = 24,
        layers: int = 2,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.body = nn.Sequential(*[SlowStates(width) for _ in range(layers)])
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.dropout(self.body(self.enter(x))[:, -1]))


class Asking(nn.Module):
    """A few learned questions attend to everything, as in a perceiver."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        width: int = 24,
        questions: int = 4,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.place = nn.Parameter(0.1 * torch.randn(64, width))
        self.questions = nn.Parameter(0.3 * torch.randn(questions, width))
        self.attention = nn.MultiheadAttention(width, 2, dropout, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.body = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(dropout))
        self.head = nn.Linear(2 * questions * width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        seen = self.enter(x) + self.place[: x.shape[1]]
        asked = self.questions.expand(len(x), -1, -1)
        heard, _ = self.attention(asked, seen, seen, need_weights=False)
        return self.output(self.head(self.body(self.norm(heard)).flatten(1)))


class Pointer(nn.Module):
    """Scores each candidate by itself and by the mean of all; the scores are the answer."""

    def __init__(
        self,
        inputs: int,
        *,
        width: int = 32,
        activation: Layer = nn.ReLU,
        norm: bool = False,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.each = nn.Sequential(nn.Linear(inputs, width), activation())
        self.norm = nn.LayerNorm(2 * width) if norm else nn.Identity()
        self.both = nn.Sequential(nn.Linear(2 * width, width), activation())
        self.score = nn.Linear(width, 1)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        each = self.each(x)
        mean = each.mean(1, keepdim=True).expand_as(each)
        both = self.both(self.norm(torch.cat([each, mean], -1)))
        return self.output(self.score(both).squeeze(-1))


class GraphAttention(nn.Module):
    """Each node attends to its neighbours; the sum over the nodes answers."""

    def __init__(
        self,
        features: int,
        outputs: int,
        *,
        width: int = 24,
        rounds: int = 2,
        norm: bool = True,
        gain: float = 1.0,
    ) -> None:
        super().__init__()
        self.features = features
        self.gain = gain
        self.enter = nn.Linear(features, width)
        self.ask = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(rounds))
        self.norms = nn.ModuleList(
            nn.LayerNorm(width) if norm else nn.Identity() for _ in range(rounds)
        )
        self.pairs = nn.Linear(2 * width, width)
        self.head = nn.Linear(width, outputs)

    def forward(self, x: Tensor) -> Tensor:
        states, joined = self.enter(x[..., : self.features]), x[..., self.features :]
        for ask, norm in zip(self.ask, self.norms, strict=True):
            query, key, value = ask(norm(states)).chunk(3, -1)
            scores = query @ key.transpose(1, 2) / query.shape[-1] ** 0.5
            weights = torch.softmax(scores.masked_fill(joined == 0, -20.0), -1)
            states = states + self.gain * weights @ value
        pairs = torch.cat([states, states * (joined @ states)], -1)
        return self.head(F.elu(self.pairs(pairs)).mean(1))
