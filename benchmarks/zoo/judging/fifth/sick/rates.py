"""Learning rates that are too high or too low."""

from __future__ import annotations

from ....optimizers import Make, adagrad, adam, rmsprop
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
    *_high(bases.LOOPED_DIGITS, 110, "adam-0.3", adam(0.3)),
    *_high(bases.COORDINATES_TEXTURES, 111, "rmsprop-0.3", rmsprop(0.3)),
    *_low(bases.QUASI_DEMAND, 114, "adam-1e-6", adam(1e-6)),
    *_low(bases.LOOPED_SHELLS, 115, "adagrad-1e-5", adagrad(1e-5)),
]
