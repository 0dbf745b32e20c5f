"""Sick runs of the seventh filling, one file for each family of the catalogue."""

from __future__ import annotations

from . import (
    activations,
    beginnings_and_ends,
    data,
    generalisation,
    gradients,
    loss_choice,
    loss_curve,
    numerics,
    optimisation,
    rates,
)

RECIPES = [
    *gradients.RECIPES,
    *activations.RECIPES,
    *loss_curve.RECIPES,
    *loss_choice.RECIPES,
    *data.RECIPES,
    *numerics.RECIPES,
    *rates.RECIPES,
    *optimisation.RECIPES,
    *beginnings_and_ends.RECIPES,
    *generalisation.RECIPES,
]
