"""Learning rates that are too high or too low."""

from __future__ import annotations

from ....optimizers import Make, adam, rmsprop, sgd
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
    *_high(bases.POOLED_COLOURS, 151, "rmsprop-0.3", rmsprop(0.3)),
    *_high(bases.HYPER_REGIONS, 152, "momentum-2", sgd(2.0, 0.9)),
    *_low(bases.ASYMMETRIC_SHAPES, 153, "adam-1e-6", adam(1e-6)),
    *_low(bases.WAVED_CHECKERS, 154, "sgd-1e-4", sgd(1e-4)),
]
