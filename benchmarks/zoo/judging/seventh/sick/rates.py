"""Learning rates that are too high or too low."""

from __future__ import annotations

from ....optimizers import Make, adagrad, adam, nadam, rmsprop, sgd
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases


def _high(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    others = ("oscillating-loss",)
    return sick("learning-rate-too-high", form, plan, seed, others, optimizer=optimizer)


def _low(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    others = ("slow-convergence",)
    return sick("learning-rate-too-low", form, plan, seed, others, optimizer=optimizer)


RECIPES: list[Recipe] = [
    *_high(bases.GROUPED_FOREST, 200, "momentum-4", sgd(4.0, 0.9)),
    *_high(bases.AXIAL_TOWERS, 201, "adam-0.3", adam(0.3)),
    *_high(bases.READERS_MAJORITY, 202, "rmsprop-0.2", rmsprop(0.2)),
    *_low(bases.BILINEAR_DIGITS, 203, "nadam-1e-6", nadam(1e-6)),
    *_low(bases.PLACED_STRIPES, 204, "sgd-1e-5", sgd(1e-5)),
    *_low(bases.CLOCKWORK_ORBITS, 205, "adagrad-1e-5", adagrad(1e-5)),
]
