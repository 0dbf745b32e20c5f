"""Weights that start in the wrong place, and runs that stop too soon."""

from __future__ import annotations

from ....faults import constant_parameters, normal_weights, scaled_weights
from ....optimizers import adam
from ....plan import Plan
from ....recipe import Recipe, sick
from ... import bases as first
from ...second import bases as second
from .. import bases

_SMALL = ("vanishing-gradient",)
_LARGE = ("exploding-gradient",)

INITIALISATION: list[Recipe] = [
    *sick(
        "poor-initialization",
        "all-zero",
        bases.CROSSED_FOREST.but(model=bases.CROSSED_FOREST.remodel(crosses=0)),
        60,
        prepare=constant_parameters(0.0),
    ),
    *sick(
        "poor-initialization",
        "all-zero",
        second.TOWERS_PAIRS,
        61,
        prepare=constant_parameters(0.0),
    ),
    *sick(
        "poor-initialization",
        "deviation-12",
        bases.POINTER_POINTING,
        62,
        _LARGE,
        prepare=normal_weights(12.0),
    ),
    *sick(
        "poor-initialization",
        "tiny-weights",
        second.TOWERS_PAIRS,
        63,
        _SMALL,
        prepare=scaled_weights(0.01),
    ),
    *sick(
        "poor-initialization",
        "weights-x25",
        first.WIDE_SPIRALS,
        64,
        _LARGE,
        prepare=scaled_weights(25.0),
    ),
]


def _stopped(full: Plan, seed: int, epochs: int) -> list[Recipe]:
    return sick(
        "too-few-steps", f"{epochs}-epochs", full, seed, ("slow-convergence",), epochs=epochs
    )


TOO_FEW: list[Recipe] = [
    *_stopped(bases.CROSSED_FOREST.but(optimizer=adam(5e-4), epochs=20), 60, 3),
    *_stopped(bases.POINTER_POINTING.but(optimizer=adam(4e-4), epochs=20), 62, 3),
    *_stopped(bases.GRAPH_MOLECULES.but(optimizer=adam(5e-4), scheduler=None, epochs=24), 63, 4),
]

RECIPES = INITIALISATION + TOO_FEW
