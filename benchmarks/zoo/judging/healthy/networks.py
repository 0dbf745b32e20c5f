"""Deep, normalised, leaky and half-silent networks that do learn."""

from __future__ import annotations

from torch import nn

from ...faults import hidden_biases
from ...optimizers import adam, cosine
from ...plan import Plan
from ...recipe import Recipe, healthy
from .. import bases


def _remodelled(plan: Plan, form: str, seed: int, **knobs: object) -> list[Recipe]:
    return healthy(form, plan.but(model=plan.remodel(**knobs)), seed)


RECIPES: list[Recipe] = [
    *_remodelled(bases.FUNNEL_FOREST, "batch-norm", 30, norm=nn.BatchNorm1d),
    *_remodelled(bases.FUNNEL_HOUSING.but(scheduler=cosine()), "layer-norm", 30, norm=nn.LayerNorm),
    *_remodelled(
        bases.FUNNEL_MOONS.but(optimizer=adam(3e-3), scheduler=cosine()),
        "tanh7",
        30,
        widths=(48, 40, 32, 32, 24, 24, 16),
        activation=nn.Tanh,
    ),
    *_remodelled(bases.VGG_SHAPES.but(scheduler=cosine()), "batch-norm", 30, norm=True),
    *_remodelled(bases.VGG_MNIST, "half-dropped", 30, width=16, dropout=0.5),
    *healthy(
        "mostly-silent-relu",
        bases.FUNNEL_FOREST.but(
            model=bases.FUNNEL_FOREST.remodel(widths=(192,)), prepare=hidden_biases(-0.8)
        ),
        32,
    ),
]
