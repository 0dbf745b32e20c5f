"""Healthy runs of the third filling, many of which look odd in a log."""

from __future__ import annotations

from . import noise, objectives, optimizers, ordinary, regimes

RECIPES = [
    *ordinary.RECIPES,
    *noise.RECIPES,
    *objectives.RECIPES,
    *optimizers.RECIPES,
    *regimes.RECIPES,
]
