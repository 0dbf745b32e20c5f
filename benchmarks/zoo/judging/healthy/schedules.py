"""Rates that rise and fall by plan, and runs that arrive and then have nothing left to learn."""

from __future__ import annotations

from ...optimizers import adam, adamw, cosine, one_cycle, sgd, stairs, warmup, warmup_cosine
from ...recipe import Recipe, healthy
from .. import bases

SCHEDULES: list[Recipe] = [
    *healthy("warm-up", bases.DENSE_DIGITS.but(scheduler=warmup(0.2)), 24),
    *healthy("cosine", bases.RESNET_SHAPES.but(optimizer=sgd(0.05, 0.9)), 24),
    *healthy(
        "warm-up-cosine",
        bases.GPT_AUSTEN.but(scheduler=warmup_cosine(), optimizer=adamw(6e-3)),
        24,
    ),
    *healthy(
        "one-cycle",
        bases.SEPARABLE_DIGITS.but(scheduler=one_cycle(0.2), optimizer=sgd(0.02, 0.9)),
        24,
    ),
    *healthy("stairs", bases.FUNNEL_MOONS.but(scheduler=stairs()), 24),
]

CONVERGED: list[Recipe] = [
    *healthy("converged", bases.FUNNEL_MOONS.but(scheduler=cosine(), epochs=24), 25),
    *healthy("converged", bases.ENCODER_RECALL.but(scheduler=cosine(), epochs=14), 25),
    *healthy(
        "converged", bases.WIDE_WAVE.but(optimizer=adam(3e-3), scheduler=cosine(), epochs=24), 25
    ),
]

RECIPES = SCHEDULES + CONVERGED
