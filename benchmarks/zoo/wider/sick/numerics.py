"""Numbers that stop being finite, each born in another place."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ... import bases as first
from ...faults import inputs_replaced_from
from ...models import mlp
from ...recipe import Recipe, sick
from .. import bases

ONSET = 90
_DATA = ("abnormal-data",)


class Attending(nn.Module):
    """Words that attend to one another, unless they are padding: a text of padding is 0/0."""

    def __init__(self, words: int, outputs: int, width: int = 24, safe: bool = True) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.score = nn.Linear(width, 1)
        self.head = nn.Linear(width, outputs)
        self.lowest = -1e4 if safe else -torch.inf

    def forward(self, x: Tensor) -> Tensor:
        words = self.embedding(x)
        scores = self.score(words).squeeze(-1).masked_fill(x == 0, self.lowest)
        return self.head((torch.softmax(scores, -1).unsqueeze(1) @ words).squeeze(1))


def _one_empty(x: Tensor) -> Tensor:
    """The first text of the batch is empty."""
    x = x.clone()
    x[0] = 0
    return x


_ATTENDING = first.FC_REUTERS.but(
    architecture="other",
    model=lambda: Attending(2000, 8),
    tamper=inputs_replaced_from(ONSET, _one_empty),
)


class Length(nn.Module):
    """Points by their direction; a point in the origin has none."""

    def __init__(self, inputs: int, outputs: int, epsilon: float) -> None:
        super().__init__()
        self.body = mlp(inputs, outputs)
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x / (x.norm(dim=-1, keepdim=True) + self.epsilon))


def _first_is_origin(x: Tensor) -> Tensor:
    x = x.clone()
    x[0] = 0
    return x


_DIRECTIONS = first.FC_BLOBS.but(
    model=lambda: Length(8, 3, 1e-6), tamper=inputs_replaced_from(ONSET, _first_is_origin)
)


class PoissonByHand(nn.Module):
    """The likelihood of counts by a rate that may be zero or below."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return (output - target * torch.log(output)).mean()


RECIPES: list[Recipe] = [
    *sick(
        "non-finite",
        "empty-text-attention",
        _ATTENDING,
        0,
        (*_DATA, "dead-input"),
        ONSET,
        model=lambda: Attending(2000, 8, safe=False),
    ),
    *sick(
        "non-finite",
        "length-zero",
        _DIRECTIONS,
        6,
        _DATA,
        ONSET,
        model=lambda: Length(8, 3, 0.0),
    ),
    *sick("non-finite", "log-of-rate", bases.FC_COUNTS, 4, loss=PoissonByHand()),
    *sick(
        "non-finite",
        "float16-overflow",
        bases.LINEAR_LINES.but(epochs=8),
        8,
        _DATA,
        ONSET,
        autocast=torch.float16,
        tamper=inputs_replaced_from(ONSET, lambda x: 1e5 * x),
    ),
]
