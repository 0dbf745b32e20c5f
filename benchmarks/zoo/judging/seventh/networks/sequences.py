"""Networks for series, symbols and bags: clocks of several paces, few readers, nearest points."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from ....models import Layer, mlp


class Clockwork(nn.Module):
    """A state in parts, of which the later ones change only at every second or fourth moment."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        everywhere: bool = False,
        width: int = 24,
        paces: tuple[int, ...] = (1, 2, 4),
        activation: Layer = nn.Tanh,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.again = nn.Linear(width, width)
        self.activation = activation()
        part = width // len(paces)
        periods = torch.tensor(paces).repeat_interleave(part)
        self.register_buffer("periods", periods)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()
        self.everywhere = everywhere

    def forward(self, x: Tensor) -> Tensor:
        entered = self.enter(x)
        state, states = torch.zeros_like(entered[:, 0]), []
        for moment in range(x.shape[1]):
            new = self.activation(entered[:, moment] + self.again(state))
            state = torch.where(moment % self.periods == 0, new, state)
            states.append(state)
        seen = torch.stack(states, 1) if self.everywhere else state
        return self.output(self.head(self.dropout(seen)))


class Readers(nn.Module):
    """A few learned readers attend to all of a sequence or bag, then think by themselves."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        places: int = 32,
        width: int = 32,
        readers: int = 4,
        layers: int = 1,
        activation: Layer = nn.GELU,
        norm: bool = True,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = (
            nn.Embedding(inputs, width)
            if symbols
            else mlp(inputs, width, hidden=width, depth=1, activation=activation)
        )
        self.position = nn.Parameter(0.1 * torch.randn(places, width))
        self.readers = nn.Parameter(0.3 * torch.randn(readers, width))
        self.attend = nn.MultiheadAttention(width, 4, batch_first=True)
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()
        thoughts: list[nn.Module] = []
        for _ in range(layers):
            thoughts += [nn.Linear(width, width), activation(), nn.Dropout(dropout)]
        self.think = nn.Sequential(*thoughts)
        self.head = nn.Linear(readers * width, outputs)
        self.output = output() if output else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        seen = self.enter(x) + self.position[: x.shape[1]]
        asked = self.readers.expand(len(x), -1, -1)
        read = self.norm(self.attend(asked, seen, seen, need_weights=False)[0])
        return self.output(self.head(self.think(read).flatten(1)))


class Nearest(nn.Module):
    """Each point of a bag looks at how its nearest points lie to it; the mean gives the answer."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        near: int = 3,
        width: int = 24,
        depth: int = 2,
        activation: Layer = nn.ReLU,
        norm: Callable[[int], nn.Module] | None = None,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.near = near
        self.edge = mlp(
            2 * inputs, width, hidden=width, depth=depth, activation=activation, norm=norm
        )
        self.body = nn.Sequential(activation(), nn.Linear(width, width), activation())
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def edges(self, x: Tensor) -> Tensor:
        """Each point beside the ways to its nearest points: [N, points, near, 2 * inputs]."""
        away = torch.cdist(x, x).topk(self.near + 1, largest=False).indices[..., 1:]
        rows = torch.arange(len(x))[:, None, None]
        own = x.unsqueeze(2).expand(-1, -1, self.near, -1)
        return torch.cat([own, x[rows, away] - own], -1)

    def forward(self, x: Tensor) -> Tensor:
        seen = self.body(self.edge(self.edges(x)).amax(2)).mean(1)
        return self.output(self.head(self.dropout(seen)))
