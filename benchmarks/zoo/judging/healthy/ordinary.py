"""The sound plans as they are, which also are the twins of the sick runs."""

from __future__ import annotations

from ...optimizers import adam, cosine, sgd
from ...plan import Plan
from ...recipe import Recipe, healthy
from .. import bases

_PLAIN: tuple[Plan, ...] = (
    bases.FUNNEL_MOONS,
    bases.WIDE_SPIRALS,
    bases.WIDE_CANCER,
    bases.WIDE_WAVE,
    bases.DENSE_FRIEDMAN,
    bases.DENSE_DIGITS,
    bases.FACTORS_SHOP,
    bases.SEPARABLE_STRIPES,
    bases.SEPARABLE_DIGITS,
    bases.RESNET_SHAPES,
    bases.MIXER_STRIPES,
    bases.MIXER_DIGITS,
    bases.TCN_EXCHANGE,
    bases.ELMAN_SINES,
    bases.GRU_MOBY,
    bases.BOTH_MAJORITY,
    bases.ENCODER_SORTING,
    bases.ENCODER_RECALL,
    bases.GPT_AUSTEN,
    bases.GPT_ENWIK8,
)
# These would not be done, or go on to learn by heart: their rates go down so that the runs end.
_ENDING: tuple[Plan, ...] = (
    bases.FUNNEL_FOREST.but(optimizer=adam(3e-3)),
    bases.FUNNEL_HOUSING,
    bases.VGG_MNIST.but(optimizer=sgd(0.02, 0.9)),
    bases.VGG_SHAPES,
    bases.VIT_DIGITS.but(model=bases.VIT_DIGITS.remodel(layers=2)),
    bases.VIT_STRIPES,
    bases.RESNET_CIFAR10,
    bases.TCN_SINES,
    bases.GRU_LEAKY,
    bases.BOTH_REUTERS,
    bases.TEXT_CNN_REUTERS.but(optimizer=adam(5e-3, weight_decay=3e-4)),
    bases.GPT_WIKITEXT,
)

RECIPES: list[Recipe] = [
    *[recipe for plan in _PLAIN for recipe in healthy("plain", plan, 23)],
    *[r for plan in _ENDING for r in healthy("cosine", plan.but(scheduler=cosine()), 23)],
]
