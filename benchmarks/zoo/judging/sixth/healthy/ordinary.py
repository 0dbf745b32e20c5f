"""The sound plans as they are, or with a rate that goes down so that they come to an end."""

from __future__ import annotations

from ....optimizers import cosine
from ....plan import Plan
from ....recipe import Recipe, healthy
from .. import bases

_PLAIN: tuple[Plan, ...] = (
    bases.FACTORED_TAGS,
    bases.HYPER_COUNTS,
    bases.WAVED_SWISS,
    bases.POOLED_NEEDLES,
    bases.ASYMMETRIC_STRIPES,
    bases.LEAKY_MOBY,
    bases.LEAKY_LEAKY,
)
_ENDING: tuple[Plan, ...] = (
    bases.FACTORED_FOREST,
    bases.HYPER_ARMS,
    bases.WAVED_CHECKERS,
    bases.ASYMMETRIC_SHAPES,
    bases.LEAKY_PEAKS,
)

RECIPES: list[Recipe] = [
    *[recipe for plan in _PLAIN for recipe in healthy("plain", plan, 170)],
    *[r for plan in _ENDING for r in healthy("cosine", plan.but(scheduler=cosine()), 171)],
]
