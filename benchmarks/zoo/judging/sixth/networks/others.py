"""Networks for bags, pictures and series: gated pooling, flat kernels, leaky states."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ....models import Layer


class GatedPooling(nn.Module):
    """Looks at each member of a bag alone; gates say how much of it the answer sees."""

    def __init__(  # noqa: PLR0913
        self,
        features: int,
        outputs: int,
        *,
        width: int = 32,
        depth: int = 2,
        activation: Layer = nn.ReLU,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for place in range(depth):
            layers += [nn.Linear(width if place else features, width), activation()]
        self.each = nn.Sequential(*layers)
        self.interest = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)
        self.weigh = nn.Linear(width, 1)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()

    def shares(self, seen: Tensor) -> Tensor:
        """The share of each member, which are one together."""
        gated = torch.tanh(self.interest(seen)) * torch.sigmoid(self.gate(seen))
        return torch.softmax(self.weigh(gated), 1)

    def forward(self, x: Tensor) -> Tensor:
        seen = self.each(x)
        pooled = (self.shares(seen) * seen).sum(1)
        return self.output(self.head(self.dropout(pooled)))


def asymmetric(  # noqa: PLR0913 - each knob is what some recipe turns
    channels: int,
    outputs: int,
    *,
    width: int = 12,
    blocks: int = 2,
    activation: Layer = nn.ReLU,
    norm: bool = True,
    dropout: float = 0.0,
    output: Layer | None = None,
) -> nn.Sequential:
    """Kernels that are one pixel high, then one pixel wide; the first two blocks halve the size."""
    layers: list[nn.Module] = []
    for place in range(blocks):
        layers.append(nn.Conv2d(width if place else channels, width, (1, 3), padding=(0, 1)))
        layers.append(nn.Conv2d(width, width, (3, 1), padding=(1, 0), bias=not norm))
        layers += [nn.BatchNorm2d(width)] if norm else []
        layers.append(activation())
        layers += [nn.MaxPool2d(2)] if place < 2 else []
    layers += [nn.AdaptiveAvgPool2d(2), nn.Flatten()]
    layers += [nn.Dropout(dropout)] if dropout else []
    layers.append(nn.Linear(4 * width, outputs))
    return nn.Sequential(*layers, *([output()] if output else []))


class LeakyLayer(nn.Module):
    """A state that forgets at a pace of its own for each unit, which is learned."""

    def __init__(self, width: int, activation: Layer, pace: float) -> None:
        super().__init__()
        self.enter = nn.Linear(width, width)
        self.again = nn.Linear(width, width, bias=False)
        self.pace = nn.Parameter(torch.full((width,), pace))
        self.activation = activation()

    def forward(self, x: Tensor) -> Tensor:
        entered, pace = self.enter(x), torch.sigmoid(self.pace)
        state, states = torch.zeros_like(entered[:, 0]), []
        for moment in range(x.shape[1]):
            new = self.activation(entered[:, moment] + self.again(state))
            state = state + pace * (new - state)
            states.append(state)
        return torch.stack(states, 1)


class LeakyRnn(nn.Module):
    """Leaky layers over numbers or symbols; the answer is at every moment or at the last."""

    def __init__(  # noqa: PLR0913
        self,
        inputs: int,
        outputs: int,
        *,
        symbols: bool = False,
        everywhere: bool = False,
        width: int = 24,
        layers: int = 1,
        pace: float = 0.0,
        activation: Layer = nn.Tanh,
        dropout: float = 0.0,
        output: Layer | None = None,
    ) -> None:
        super().__init__()
        self.enter = nn.Embedding(inputs, width) if symbols else nn.Linear(inputs, width)
        self.layers = nn.Sequential(*[LeakyLayer(width, activation, pace) for _ in range(layers)])
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, outputs)
        self.output = output() if output else nn.Identity()
        self.everywhere = everywhere

    def forward(self, x: Tensor) -> Tensor:
        x = self.layers(self.enter(x))
        return self.output(self.head(self.dropout(x if self.everywhere else x[:, -1])))
