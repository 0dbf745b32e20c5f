"""Learning rates that are too high or too low."""

from __future__ import annotations

from torch import nn

from ...optimizers import Make, adam, adamw, sgd
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases


def _high(plan: Plan, seeds: int | tuple[int, ...], form: str, optimizer: Make) -> list[Recipe]:
    others = ("oscillating-loss", "loss-explosion")
    return sick("learning-rate-too-high", form, plan, seeds, others, optimizer=optimizer)


def _low(plan: Plan, seeds: int | tuple[int, ...], form: str, optimizer: Make) -> list[Recipe]:
    others = ("slow-convergence",)
    return sick("learning-rate-too-low", form, plan, seeds, others, optimizer=optimizer)


# Units that cannot die, so that the rate is all there is to find.
_LEAKY_FOREST = bases.FUNNEL_FOREST.but(model=bases.FUNNEL_FOREST.remodel(activation=nn.LeakyReLU))

RECIPES: list[Recipe] = [
    *_high(bases.SEPARABLE_DIGITS, 20, "momentum-x50", sgd(5.0, 0.9)),
    *_high(_LEAKY_FOREST, 22, "adam-x150", adam(0.3)),
    *_high(bases.VIT_DIGITS, 20, "adamw-x50", adamw(0.1)),
    *_high(bases.GPT_AUSTEN, 21, "adamw-x50", adamw(0.2)),
    *_high(bases.BOTH_MAJORITY, 22, "adam-x50", adam(0.5)),
    *_low(bases.FUNNEL_MOONS, 20, "sgd-1e-5", sgd(1e-5)),
    *_low(bases.VGG_SHAPES, 22, "adam-1e-7", adam(1e-7)),
    *_low(bases.GRU_MOBY, 20, "adam-1e-6", adam(1e-6)),
    *_low(bases.GPT_ENWIK8, 21, "adamw-1e-7", adamw(1e-7)),
    *_low(bases.RESNET_CIFAR10, 22, "momentum-1e-6", sgd(1e-6, 0.9)),
]
