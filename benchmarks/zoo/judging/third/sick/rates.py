"""Learning rates that are too high or too low."""

from __future__ import annotations

from torch import optim

from ....optimizers import Make, adam, adamw, other, sgd
from ....plan import Plan
from ....recipe import Recipe, sick
from ...second import bases as second
from .. import bases


def _high(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    others = ("oscillating-loss", "loss-explosion")
    return sick("learning-rate-too-high", form, plan, seed, others, optimizer=optimizer)


def _low(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    others = ("slow-convergence",)
    return sick("learning-rate-too-low", form, plan, seed, others, optimizer=optimizer)


RECIPES: list[Recipe] = [
    *_high(bases.CROSSED_FOREST, 60, "adam-x150", adam(0.3)),
    *_high(bases.KERNELS_DIGITS, 61, "adamw-x100", adamw(0.2)),
    *_high(bases.GRAPH_MOLECULES, 62, "rmsprop-x100", other(optim.RMSprop, 0.3)),
    *_high(bases.WAVES_CRITICS, 63, "adam-x60", adam(0.3)),
    *_low(bases.CROSSED_FOREST, 60, "adam-1e-6", adam(1e-6)),
    *_low(bases.SQUEEZED_MNIST, 61, "momentum-1e-6", sgd(1e-6, 0.9)),
    *_low(bases.GRAPH_MOLECULES, 62, "adamw-1e-6", adamw(1e-6)),
    *_low(second.HIGHWAY_SWISS, 63, "adagrad-1e-6", other(optim.Adagrad, 1e-6)),
]
