"""Weights that start in the wrong place, and runs that stop too soon."""

from __future__ import annotations

from ...faults import constant_parameters, normal_weights, scaled_weights
from ...optimizers import adam, sgd
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases

_SMALL = ("vanishing-gradient",)
_LARGE = ("exploding-gradient",)

_DEEP_SHAPES = bases.VGG_SHAPES.but(model=bases.VGG_SHAPES.remodel(convolutions=3))


def _all(plan: Plan, seeds: int | tuple[int, ...], form: str, value: float) -> list[Recipe]:
    return sick("poor-initialization", form, plan, seeds, prepare=constant_parameters(value))


INITIALISATION: list[Recipe] = [
    *_all(bases.FUNNEL_FOREST, 20, "all-zero", 0.0),
    *_all(bases.WIDE_SPIRALS, 22, "constant-0.3", 0.3),
    *_all(bases.GRU_LEAKY, 20, "all-zero", 0.0),
    *sick(
        "poor-initialization",
        "tiny-weights",
        _DEEP_SHAPES,
        21,
        _SMALL,
        prepare=scaled_weights(0.01),
    ),
    *sick(
        "poor-initialization",
        "deviation-2",
        bases.FUNNEL_HOUSING,
        22,
        _LARGE,
        prepare=normal_weights(2.0),
    ),
    *sick(
        "poor-initialization",
        "deviation-1",
        bases.VIT_DIGITS,
        20,
        _LARGE,
        prepare=normal_weights(1.0),
    ),
]


def _stopped(full: Plan, seeds: int | tuple[int, ...], epochs: int) -> list[Recipe]:
    return sick(
        "too-few-steps", f"{epochs}-epochs", full, seeds, ("slow-convergence",), epochs=epochs
    )


TOO_FEW: list[Recipe] = [
    *_stopped(bases.FUNNEL_FOREST.but(optimizer=sgd(0.05), epochs=36), 20, 6),
    *_stopped(bases.VGG_MNIST.but(optimizer=adam(4e-4), epochs=18), 22, 4),
    *_stopped(bases.GPT_AUSTEN.but(optimizer=adam(7e-4), epochs=12), 20, 3),
    *_stopped(bases.BOTH_MAJORITY.but(optimizer=adam(1e-3), epochs=30), 21, 4),
    *_stopped(bases.FUNNEL_HOUSING.but(optimizer=sgd(0.02), epochs=24), 22, 4),
]

RECIPES = INITIALISATION + TOO_FEW
