"""Gradients that vanish, explode or jump."""

from __future__ import annotations

from torch import nn

from ....faults import normal_weights, spiked_inputs
from ....optimizers import adam, sgd
from ....plan import Batch
from ....recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)
_DIGITS = bases.COORDINATES_DIGITS
_CLOCKS = bases.COORDINATES_CLOCKS.but(
    model=bases.COORDINATES_CLOCKS.remodel(norm=False), optimizer=sgd(0.07)
)
_RHYTHMS = bases.LINEAR_RHYTHMS.but(optimizer=adam(2e-3))

VANISHING: list[Recipe] = [
    *sick(
        "vanishing-gradient",
        "sigmoid-20-times-no-way-around",
        bases.LOOPED_DIGITS,
        110,
        model=bases.LOOPED_DIGITS.remodel(
            loops=20, activation=nn.Sigmoid, norm=False, around=False
        ),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid9-no-norm",
        _DIGITS,
        111,
        model=_DIGITS.remodel(blocks=9, activation=nn.Sigmoid, norm=False),
    ),
]

EXPLODING: list[Recipe] = [
    *sick(
        "exploding-gradient",
        "relu-9-times-deviation-0.4",
        bases.LOOPED_DIGITS,
        112,
        _START,
        model=bases.LOOPED_DIGITS.remodel(loops=9, norm=False),
        prepare=normal_weights(0.4),
    ),
    *sick(
        "exploding-gradient",
        "attention2-not-divided-no-norm",
        _RHYTHMS,
        113,
        model=_RHYTHMS.remodel(layers=2, norm=False, divided=False),
    ),
]


def _cents(step: int, batch: Batch) -> Batch:
    """In every fortieth batch one price is in cents."""
    inputs, targets = batch
    if step % 40 == 39:
        targets = targets.clone()
        targets[:1] = 100 * targets[:1] + 100
    return inputs, targets


UNSTABLE: list[Recipe] = [
    *sick(
        "gradient-instability",
        "prices-in-cents",
        bases.LOOPED_HOUSING.but(optimizer=sgd(0.02)),
        114,
        ("abnormal-data", "invalid-labels"),
        tamper=_cents,
    ),
    *sick(
        "gradient-instability",
        "some-batches-brighter",
        _CLOCKS,
        115,
        ("abnormal-data",),
        tamper=spiked_inputs(20, 7.0),
    ),
]

RECIPES = VANISHING + EXPLODING + UNSTABLE
