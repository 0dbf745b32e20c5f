"""Networks for series, symbols, bags and graphs, with cells that were written by hand."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ....models import mlp


class MinimalGated(nn.Module):
    """A recurrent cell with a single gate, which both forgets and writes."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        everywhere: bool = False,
        width: int = 32,
        norm: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.gate = nn.Linear(2 * width, width)
        self.write = nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.everywhere = everywhere

    def forward(self, x: Tensor) -> Tensor:
        entered = self.enter(x)
        state, states = torch.zeros_like(entered[:, 0]), []
        for moment in entered.unbind(1):
            gate = torch.sigmoid(self.gate(torch.cat([moment, state], 1)))
            new = torch.tanh(self.write(torch.cat([moment, gate * state], 1)))
            state = (1 - gate) * state + gate * new
            states.append(state)
        seen = torch.stack(states, 1) if self.everywhere else state
        return self.head(self.dropout(self.norm(seen)))


class Relative(nn.Module):
    """Attention by hand, to which how far two places are apart adds a learned bias."""

    def __init__(self, width: int, heads: int, places: int) -> None:
        super().__init__()
        self.ask = nn.Linear(width, 3 * width)
        self.answer = nn.Linear(width, width)
        self.bias = nn.Parameter(0.5 * torch.randn(heads, 2 * places - 1))
        self.heads = heads
        self.places = places

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.ask(x).chunk(3, -1)
        )
        place = torch.arange(x.shape[1])
        apart = place[:, None] - place[None, :] + self.places - 1
        likeness = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        weights = torch.softmax(likeness + self.bias[:, apart], -1)
        return self.answer((weights @ value).transpose(1, 2).flatten(2))


class RelativeReader(nn.Module):
    """Layers of relative attention; an answer for the whole, or one at each place."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        everywhere: bool = False,
        places: int = 40,
        width: int = 32,
        layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.attend = nn.ModuleList(Relative(width, 4, places) for _ in range(layers))
        self.think = nn.ModuleList(
            mlp(width, width, hidden=2 * width, depth=1, activation=nn.GELU, dropout=dropout)
            for _ in range(layers)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * layers + 1))
        self.head = nn.Linear(width, outputs)
        self.everywhere = everywhere

    def forward(self, x: Tensor) -> Tensor:
        seen = self.enter(x)
        for place, (attend, think) in enumerate(zip(self.attend, self.think, strict=True)):
            seen = seen + attend(self.norms[2 * place](seen))
            seen = seen + think(self.norms[2 * place + 1](seen))
        seen = self.norms[-1](seen)
        return self.head(seen if self.everywhere else seen.mean(1))


class SortedPooling(nn.Module):
    """Points of a bag become features, each feature is sorted and its order statistics weighed."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        points: int,
        width: int = 24,
    ) -> None:
        super().__init__()
        self.enter = mlp(inputs, width, hidden=width, depth=1)
        self.weights = nn.Parameter(torch.randn(points, width) / points**0.5)
        self.head = mlp(width, outputs, hidden=width, depth=1)

    def forward(self, x: Tensor) -> Tensor:
        ordered = self.enter(x).sort(1).values
        return self.head((ordered * self.weights).sum(1))


class Diffusing(nn.Module):
    """Features flow along the edges a few times; each node judges all it got, the mean counts."""

    def __init__(
        self,
        features: int,
        outputs: int,
        *,
        times: int = 2,
        width: int = 32,
    ) -> None:
        super().__init__()
        self.judge = mlp((times + 1) * features, width, hidden=width)
        self.head = nn.Linear(width, outputs)
        self.features = features
        self.times = times

    def forward(self, x: Tensor) -> Tensor:
        nodes, joined = x[..., : self.features], x[..., self.features :]
        flowed = [nodes]
        for _ in range(self.times):
            flowed.append(joined @ flowed[-1] / 2)
        return self.head(self.judge(torch.cat(flowed, -1)).mean(1))
