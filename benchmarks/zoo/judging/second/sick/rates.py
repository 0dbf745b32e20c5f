"""Learning rates that are too high or too low."""

from __future__ import annotations

from ....optimizers import Make, adam, adamw, sgd
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases


def _high(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    others = ("oscillating-loss", "loss-explosion")
    return sick("learning-rate-too-high", form, plan, seed, others, optimizer=optimizer)


def _low(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    others = ("slow-convergence",)
    return sick("learning-rate-too-low", form, plan, seed, others, optimizer=optimizer)


_HASTIE_SGD = bases.WIDE_HASTIE.but(optimizer=sgd(0.05, 0.9))

RECIPES: list[Recipe] = [
    *_high(bases.MAXOUT_CHECKERS, 40, "adam-x100", adam(0.5)),
    *_high(_HASTIE_SGD, 41, "momentum-x20", sgd(1.0, 0.9)),
    *_high(bases.REGRESSOR_ADDING, 42, "adamw-x50", adamw(0.1)),
    *_low(bases.HIGHWAY_SHELLS, 40, "sgd-1e-5", sgd(1e-5)),
    *_low(bases.LENET_DIGITS, 41, "adam-1e-6", adam(1e-6)),
    *_low(bases.LSTM_CRITICS, 42, "adam-1e-6", adam(1e-6)),
    *_low(bases.SETS_SPREAD, 43, "adamw-1e-6", adamw(1e-6)),
]
