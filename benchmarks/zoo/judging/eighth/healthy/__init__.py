"""Healthy runs of the eighth filling, as diverse as what people train."""

from __future__ import annotations

from . import ordinary, regimes, settings

RECIPES = [*ordinary.RECIPES, *settings.RECIPES, *regimes.RECIPES]
