"""Gradients that vanish, explode or jump."""

from __future__ import annotations

from torch import nn

from ....faults import normal_weights, spiked_inputs
from ....optimizers import sgd
from ....plan import Batch
from ....recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)
_STRIPES = bases.ASYMMETRIC_STRIPES.but(optimizer=sgd(0.05, 0.9))
_ARMS = bases.HYPER_ARMS.but(optimizer=sgd(0.05))
_SPREAD = bases.POOLED_SPREAD.but(optimizer=sgd(0.05))

VANISHING: list[Recipe] = [
    *sick(
        "vanishing-gradient",
        "sigmoid8-no-norm",
        bases.FACTORED_DIGITS,
        150,
        model=bases.FACTORED_DIGITS.remodel(depth=8, activation=nn.Sigmoid, norm=False),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid7-no-norm",
        _STRIPES,
        151,
        model=_STRIPES.remodel(blocks=7, activation=nn.Sigmoid, norm=False),
    ),
]

EXPLODING: list[Recipe] = [
    *sick(
        "exploding-gradient",
        "relu7-deviation-0.6",
        bases.FACTORED_FOREST,
        153,
        _START,
        model=bases.FACTORED_FOREST.remodel(depth=7, norm=False),
        prepare=normal_weights(0.6),
    ),
]


def _centimetres(step: int, batch: Batch) -> Batch:
    """In every thirtieth batch a few places are in centimetres."""
    inputs, targets = batch
    if step % 30 == 29:
        targets = targets.clone()
        targets[:3] = 100 * targets[:3]
    return inputs, targets


UNSTABLE: list[Recipe] = [
    *sick(
        "gradient-instability",
        "places-in-centimetres",
        _ARMS,
        154,
        ("abnormal-data", "invalid-labels"),
        tamper=_centimetres,
    ),
    *sick(
        "gradient-instability",
        "some-bags-x12",
        _SPREAD,
        155,
        ("abnormal-data",),
        tamper=spiked_inputs(20, 12.0),
    ),
]

RECIPES = VANISHING + EXPLODING + UNSTABLE
