"""Sick runs: other ways in which people come to each fault."""

from __future__ import annotations

from . import curves, data, numerics, optimisation, signals

RECIPES = [
    *signals.RECIPES,
    *curves.RECIPES,
    *data.RECIPES,
    *numerics.RECIPES,
    *optimisation.RECIPES,
]
