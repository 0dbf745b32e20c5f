"""Gradients that vanish, explode or jump."""

from __future__ import annotations

from torch import nn

from ....faults import normal_weights, scaled_weights, spiked_inputs, spiked_targets
from ....optimizers import adam, sgd
from ....plan import Batch
from ....recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)

_TOWERS = bases.PLACED_TOWERS.but(optimizer=sgd(0.02, 0.9))

VANISHING: list[Recipe] = [
    *sick(
        "vanishing-gradient",
        "sigmoid9-no-norm",
        bases.GROUPED_DIGITS,
        200,
        model=bases.GROUPED_DIGITS.remodel(depth=9, activation=nn.Sigmoid, norm=False),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid8",
        _TOWERS,
        201,
        model=_TOWERS.remodel(depth=8, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "tanh12-deviation-0.03",
        bases.REMEMBERING_SHELLS,
        202,
        _START,
        model=bases.REMEMBERING_SHELLS.remodel(depth=12, activation=nn.Tanh, entries=0),
        prepare=normal_weights(0.03),
    ),
]

EXPLODING: list[Recipe] = [
    *sick(
        "exploding-gradient",
        "relu8-deviation-0.8",
        bases.GROUPED_FOREST,
        203,
        _START,
        model=bases.GROUPED_FOREST.remodel(depth=8, norm=False),
        prepare=normal_weights(0.8),
    ),
    *sick(
        "exploding-gradient",
        "recurrence-x4",
        bases.CLOCKWORK_ORBITS,
        204,
        _START,
        model=bases.CLOCKWORK_ORBITS.remodel(activation=nn.LeakyReLU, paces=(1,)),
        prepare=scaled_weights(4.0, "again"),
    ),
    *sick(
        "exploding-gradient",
        "products-weights-x2.5",
        bases.BILINEAR_LIQUIDS,
        205,
        _START,
        model=bases.BILINEAR_LIQUIDS.remodel(norm=False, depth=3, activation=nn.Identity),
        prepare=scaled_weights(2.5),
    ),
]


def _some_too_large(step: int, batch: Batch) -> Batch:
    """In every twenty-fifth batch a quarter of the targets is sixty times too large."""
    inputs, targets = batch
    if step % 25 == 24:
        targets = targets.clone()
        targets[: len(targets) // 4] *= 60
    return inputs, targets


_SPREAD = bases.NEAREST_SPREAD.but(optimizer=sgd(0.05))
_SWISS = bases.REMEMBERING_SWISS.but(optimizer=sgd(0.05))

UNSTABLE: list[Recipe] = [
    *sick(
        "gradient-instability",
        "some-targets-x60",
        _SWISS,
        206,
        ("abnormal-data", "invalid-labels"),
        tamper=_some_too_large,
    ),
    *sick(
        "gradient-instability",
        "some-bags-x15",
        _SPREAD,
        207,
        ("abnormal-data",),
        tamper=spiked_inputs(18, 15.0),
    ),
    *sick(
        "gradient-instability",
        "some-angles-x80",
        bases.DENSE_CLOCKS.but(optimizer=adam(3e-3)),
        208,
        ("abnormal-data", "invalid-labels"),
        tamper=spiked_targets(16, 80.0),
    ),
]

RECIPES = VANISHING + EXPLODING + UNSTABLE
