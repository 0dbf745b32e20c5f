"""The sound plans as they are, or with a rate that goes down so that they come to an end."""

from __future__ import annotations

from ....optimizers import cosine
from ....plan import Plan
from ....recipe import Recipe, healthy
from .. import bases

_PLAIN: tuple[Plan, ...] = (
    bases.BILINEAR_DIGITS,
    bases.GROUPED_TAGS,
    bases.GROUPED_HOUSING,
    bases.REMEMBERING_SWISS,
    bases.PLACED_DIGITS,
    bases.AXIAL_TOWERS,
    bases.CLOCKWORK_CRITICS,
    bases.READERS_WALKS,
)
_ENDING: tuple[Plan, ...] = (
    bases.BILINEAR_LOANS,
    bases.GROUPED_FOREST,
    bases.REMEMBERING_REGIONS,
    bases.BILINEAR_LIQUIDS,
    bases.DENSE_TOWERS,
    bases.PLACED_TOWERS,
    bases.AXIAL_TEXTURES,
    bases.CLOCKWORK_ORBITS,
    bases.READERS_MAJORITY,
    bases.NEAREST_NEEDLES,
    bases.NEAREST_SPREAD,
    bases.DENSE_CLOCKS,
)

RECIPES: list[Recipe] = [
    *[recipe for plan in _PLAIN for recipe in healthy("plain", plan, 220)],
    *[r for plan in _ENDING for r in healthy("cosine", plan.but(scheduler=cosine()), 221)],
]
