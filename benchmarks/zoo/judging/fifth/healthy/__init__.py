"""Healthy runs of the fifth filling, as diverse as what people train."""

from __future__ import annotations

from . import objectives, optimizers, ordinary, regimes

RECIPES = [
    *ordinary.RECIPES,
    *objectives.RECIPES,
    *optimizers.RECIPES,
    *regimes.RECIPES,
]
