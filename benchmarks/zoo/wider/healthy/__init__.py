"""Healthy runs that look odd in a log and are not."""

from __future__ import annotations

from . import ends, networks, noise, objectives, optimizers, regimes

RECIPES = [
    *noise.RECIPES,
    *objectives.RECIPES,
    *networks.RECIPES,
    *optimizers.RECIPES,
    *regimes.RECIPES,
    *ends.RECIPES,
]
