"""Healthy runs of the second filling, as diverse as what people train."""

from __future__ import annotations

from . import objectives, ordinary, regimes

RECIPES = [*ordinary.RECIPES, *regimes.RECIPES, *objectives.RECIPES]
