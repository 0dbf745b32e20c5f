"""Numbers that stop being finite, each born in another place."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor, nn

from ...data import changes
from ...data.sequences import KEYS
from ...faults import input_of_step, inputs_replaced_from, inserted
from ...losses import exponential_loss
from ...optimizers import sgd
from ...plan import Batch
from ...recipe import Recipe, sick
from .. import bases
from ..networks.sequences import Encoder
from ..networks.tables import funnel

ONSET = 100
_DATA = ("abnormal-data",)


class Root(nn.Module):
    """The root of the square: right in value, but at zero its slope is 0/0."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sqrt(x * x)


class Direction(nn.Module):
    """Vectors of length one, without an epsilon: 0/0 for a vector that is zero."""

    def forward(self, x: Tensor) -> Tensor:
        return x / x.norm(dim=-1, keepdim=True)


class GaussianByHand(nn.Module):
    """The likelihood of a mean and a variance, of which nothing keeps the second above zero."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        mean, variance = output[:, :1], output[:, 1:]
        return ((mean - target).square() / variance + torch.log(variance)).mean()


class GaussianSafe(nn.Module):
    """The same with a variance that cannot be negative."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        mean, variance = output[:, :1], nn.functional.softplus(output[:, 1:]) + 1e-3
        return ((mean - target).square() / variance + torch.log(variance)).mean()


@torch.no_grad()
def _variance_of_one(model: nn.Sequential) -> None:
    """The variance starts at about one, so that it becomes negative only while it is learned."""
    model[-1].bias[1] = 1.0


_HOUSING_VARIANCE = bases.FUNNEL_HOUSING.but(
    model=partial(funnel, 8, 2), loss=GaussianSafe(), scoring="none", prepare=_variance_of_one
)
_DROPPED_MOONS = bases.FUNNEL_MOONS.but(model=bases.FUNNEL_MOONS.remodel(dropout=0.1))
_NARROW_FOREST = bases.FUNNEL_FOREST.but(model=bases.FUNNEL_FOREST.remodel(widths=(96, 48, 4)))


class Padded(nn.Module):
    """An encoder whose answer is a mean weighted by attention, without padding, symbol 0."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.score = nn.Linear(encoder.head.in_features, 1)

    def forward(self, x: Tensor) -> Tensor:
        encoder = self.encoder
        states = encoder.body(encoder.embedding(x) + encoder.places[: x.shape[1]])
        scores = self.score(states).squeeze(-1).masked_fill(x == 0, -math.inf)
        weights = torch.softmax(scores, 1).unsqueeze(-1)
        return encoder.head((weights * states).sum(1))


_RECALL_PADDED = bases.ENCODER_RECALL.but(
    model=lambda: Padded(Encoder(2 * KEYS + 1, KEYS)),
    source=bases.ENCODER_RECALL.data(changes.inputs(lambda x: x + 1)),
)


def _empty_document(step: int, batch: Batch) -> Batch:
    """From `ONSET` on, one sequence of each batch is nothing but padding."""
    inputs, targets = batch
    if step >= ONSET:
        inputs = inputs.clone()
        inputs[0] = 0
    return inputs, targets


def _blow_up(x: Tensor) -> Tensor:
    return x * 1e5


RECIPES: list[Recipe] = [
    *sick(
        "non-finite",
        "slope-of-root-layer",
        _DROPPED_MOONS,
        20,
        model=inserted(_DROPPED_MOONS.model, 3, Root),
    ),
    *sick(
        "non-finite",
        "zero-over-zero-layer",
        _NARROW_FOREST,
        22,
        model=inserted(_NARROW_FOREST.model, 6, Direction),
    ),
    *sick(
        "non-finite",
        "log-of-negative-variance",
        _HOUSING_VARIANCE,
        20,
        loss=GaussianByHand(),
    ),
    *sick(
        "non-finite",
        "softmax-over-nothing",
        _RECALL_PADDED,
        21,
        _DATA,
        ONSET,
        tamper=_empty_document,
    ),
    *sick(
        "non-finite",
        "nan-batch",
        bases.RESNET_SHAPES,
        22,
        _DATA,
        ONSET,
        tamper=input_of_step(ONSET, math.nan),
    ),
    *sick(
        "non-finite",
        "float16-overflow",
        bases.VGG_MNIST,
        20,
        _DATA,
        ONSET,
        autocast=torch.float16,
        tamper=inputs_replaced_from(ONSET, _blow_up),
    ),
    *sick(
        "non-finite",
        "exponential-in-loss",
        bases.GRU_LEAKY,
        21,
        _DATA,
        loss=exponential_loss,
        source=bases.GRU_LEAKY.data(changes.target_scaled(1e4)),
        optimizer=sgd(0.1),
    ),
]
