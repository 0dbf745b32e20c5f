"""The sound plans as they are, or with a rate that goes down so that they come to an end."""

from __future__ import annotations

from ....optimizers import cosine
from ....plan import Plan
from ....recipe import Recipe, healthy
from .. import bases

_PLAIN: tuple[Plan, ...] = (
    bases.SPLINES_CIRCUIT,
    bases.SPLINES_TERRAIN,
    bases.FIELDS_LIFETIMES,
    bases.COORDINATES_CLOCKS,
    bases.QUASI_LEVELS,
    bases.LINEAR_ARTICLES,
    bases.FOURIER_REUTERS,
    bases.RELATION_LISTS,
)
_ENDING: tuple[Plan, ...] = (
    bases.SPLINES_SHELLS,
    bases.FIELDS_GRADES,
    bases.LOOPED_SHELLS,
    bases.LOOPED_HOUSING,
    bases.LOOPED_ALARMS,
    bases.LOOPED_DIGITS,
    bases.SHUFFLED_SHAPES,
    bases.FOURIER_SIGNALS,
    bases.RELATION_COLOURS,
    bases.RELATION_SPREAD,
)

RECIPES: list[Recipe] = [
    *[recipe for plan in _PLAIN for recipe in healthy("plain", plan, 130)],
    *[r for plan in _ENDING for r in healthy("cosine", plan.but(scheduler=cosine()), 131)],
]
