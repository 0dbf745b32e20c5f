"""The sound plans as they are, or with a rate that goes down so that they come to an end."""

from __future__ import annotations

from ....optimizers import cosine
from ....plan import Plan
from ....recipe import Recipe, healthy
from .. import bases

_PLAIN: tuple[Plan, ...] = (
    bases.STAGED_LIQUIDS,
    bases.HEADS_TAGS,
    bases.COMMITTEE_HOUSING,
    bases.SCALE_DIGITS,
    bases.SCALES_TOWERS,
    bases.GATED_LEVELS,
    bases.RELATIVE_PEAKS,
    bases.SORTED_SPREAD,
)
_ENDING: tuple[Plan, ...] = (
    bases.STAGED_LOANS,
    bases.HEADS_ARMS,
    bases.COMMITTEE_FOREST,
    bases.COMMITTEE_SPECTRA,
    bases.SCALE_SALES,
    bases.SCALES_CLOCKS,
    bases.MIXER_DIGITS,
    bases.GATED_WALKS,
    bases.RELATIVE_MAJORITY,
    bases.RELATIVE_TAGGING,
    bases.SORTED_NEEDLES,
    bases.DIFFUSING_GRAPHS,
    bases.DIFFUSING_MOLECULES,
)

RECIPES: list[Recipe] = [
    *[recipe for plan in _PLAIN for recipe in healthy("plain", plan, 260)],
    *[r for plan in _ENDING for r in healthy("cosine", plan.but(scheduler=cosine()), 261)],
]
