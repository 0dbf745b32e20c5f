"""Weights that start in the wrong place, and runs that stop too soon."""

from __future__ import annotations

from ....faults import constant_parameters, normal_weights, scaled_weights
from ....optimizers import adam, sgd
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases

_SMALL = ("vanishing-gradient",)
_LARGE = ("exploding-gradient",)

_DEEP_COLOURS = bases.SETS_COLOURS.but(
    model=bases.SETS_COLOURS.remodel(depth=4), optimizer=adam(3e-3), epochs=10
)

INITIALISATION: list[Recipe] = [
    *sick(
        "poor-initialization",
        "all-zero",
        bases.HIGHWAY_SHELLS,
        40,
        prepare=constant_parameters(0.0),
    ),
    *sick(
        "poor-initialization",
        "constant-0.1",
        bases.LENET_DIGITS,
        41,
        prepare=constant_parameters(0.1),
    ),
    *sick(
        "poor-initialization",
        "tiny-weights",
        _DEEP_COLOURS,
        42,
        _SMALL,
        prepare=scaled_weights(0.01),
    ),
    *sick(
        "poor-initialization",
        "deviation-3",
        bases.MAXOUT_CIRCUIT,
        43,
        _LARGE,
        prepare=normal_weights(3.0),
    ),
]


def _stopped(full: Plan, seed: int, epochs: int) -> list[Recipe]:
    return sick(
        "too-few-steps", f"{epochs}-epochs", full, seed, ("slow-convergence",), epochs=epochs
    )


TOO_FEW: list[Recipe] = [
    *_stopped(bases.LENET_DIGITS.but(optimizer=adam(5e-4), epochs=20), 40, 3),
    *_stopped(bases.TOWERS_PAIRS.but(optimizer=adam(5e-4), epochs=16), 41, 4),
    *_stopped(bases.LSTM_CRITICS.but(optimizer=adam(3e-3), epochs=12), 42, 3),
    *_stopped(bases.HIGHWAY_SWISS.but(optimizer=sgd(0.01), epochs=30), 43, 4),
]

RECIPES = INITIALISATION + TOO_FEW
