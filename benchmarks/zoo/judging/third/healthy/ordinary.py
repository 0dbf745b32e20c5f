"""The sound plans as they are, and with rates that go down so that they come to an end."""

from __future__ import annotations

from ....optimizers import cosine
from ....plan import Plan
from ....recipe import Recipe, healthy
from .. import bases

_PLAIN: tuple[Plan, ...] = (
    bases.CROSSED_ALARMS,
    bases.ADDITIVE_ODDS,
    bases.TREES_REGIONS,
    bases.SQUEEZED_MNIST,
    bases.JOINED_SHAPES,
    bases.KERNELS_DIGITS,
    bases.KERNELS_TEXTURES,
    bases.DILATED_MASKS,
    bases.STATES_BRACKETS,
    bases.ASKING_REUTERS,
    bases.POINTER_POINTING,
    bases.GRAPH_MOLECULES,
    bases.GATED_WAITS,
)
_ENDING: tuple[Plan, ...] = (
    bases.SINES_TERRAIN,
    bases.CROSSED_FOREST,
    bases.CROSSED_SALES,
    bases.GATED_GRADES,
    bases.GATED_HOUSING,
    bases.ADDITIVE_CIRCUIT,
    bases.TREES_FRIEDMAN,
    bases.BUMPS_REGIONS,
    bases.PROTOTYPES_DIGITS,
    bases.SQUEEZED_TEXTURES,
    bases.WAVES_RHYTHMS,
    bases.WAVES_CRITICS,
    bases.STATES_RHYTHMS,
    bases.ASKING_DIGITS,
)

RECIPES: list[Recipe] = [
    *[recipe for plan in _PLAIN for recipe in healthy("plain", plan, 70)],
    *[r for plan in _ENDING for r in healthy("cosine", plan.but(scheduler=cosine()), 70)],
]
