"""Healthy runs that look odd in a log and are not."""

from __future__ import annotations

from . import (
    ends,
    forms,
    likelihoods,
    likenesses,
    networks,
    noise,
    objectives,
    optimizers,
    regimes,
    steps,
)

RECIPES = [
    *noise.RECIPES,
    *objectives.RECIPES,
    *networks.RECIPES,
    *optimizers.RECIPES,
    *regimes.RECIPES,
    *ends.RECIPES,
    *likelihoods.RECIPES,
    *likenesses.RECIPES,
    *forms.RECIPES,
    *steps.RECIPES,
]
