"""Other optimizers and schedules, all of them sound."""

from __future__ import annotations

from ....optimizers import (
    adagrad,
    adam,
    adamw,
    cosine,
    one_cycle,
    rmsprop,
    sgd,
    stairs,
    warmup,
    warmup_cosine,
)
from ....recipe import Recipe, healthy
from .. import bases

RECIPES: list[Recipe] = [
    *healthy("adagrad", bases.SPLINES_SHELLS.but(optimizer=adagrad(0.05)), 135),
    *healthy(
        "rmsprop", bases.RELATION_SPREAD.but(optimizer=rmsprop(2e-3), scheduler=cosine()), 135
    ),
    *healthy("plain-sgd", bases.COORDINATES_DIGITS.but(optimizer=sgd(0.1), epochs=9), 135),
    *healthy(
        "nesterov-stairs",
        bases.LOOPED_DIGITS.but(optimizer=sgd(0.03, 0.9, nesterov=True), scheduler=stairs()),
        136,
    ),
    *healthy(
        "one-cycle",
        bases.FIELDS_HOUSING.but(optimizer=adam(1e-3), scheduler=one_cycle(6e-3)),
        136,
    ),
    *healthy(
        "warm-up", bases.LINEAR_COMPARING.but(scheduler=warmup(0.15), optimizer=adam(2e-3)), 136
    ),
    *healthy(
        "warm-up-cosine-decay-0.1",
        bases.COORDINATES_TEXTURES.but(
            optimizer=adamw(4e-3, weight_decay=0.1), scheduler=warmup_cosine()
        ),
        137,
    ),
]
