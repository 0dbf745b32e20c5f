"""Healthy runs of the judging half, as diverse as what people train."""

from __future__ import annotations

from . import networks, objectives, ordinary, regimes, scales, schedules

RECIPES = [
    *ordinary.RECIPES,
    *schedules.RECIPES,
    *regimes.RECIPES,
    *networks.RECIPES,
    *objectives.RECIPES,
    *scales.RECIPES,
]
