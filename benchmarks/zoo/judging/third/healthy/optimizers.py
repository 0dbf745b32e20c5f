"""Optimizers and schedules that are less common and sound."""

from __future__ import annotations

import torch
from torch import optim

from ....optimizers import (
    adamw,
    cosine,
    one_cycle,
    other,
    restarts,
    sgd,
    swings,
    warmup_cosine,
)
from ....recipe import Recipe, healthy
from ...second import bases as second
from .. import bases

KINDS: list[Recipe] = [
    *healthy("radam", bases.CROSSED_FOREST.but(optimizer=other(optim.RAdam, 5e-3)), 81),
    *healthy("nadam", bases.GRAPH_MOLECULES.but(optimizer=other(optim.NAdam, 2e-3)), 81),
    *healthy("adadelta", bases.SQUEEZED_TEXTURES.but(optimizer=other(optim.Adadelta, 1.0)), 81),
    *healthy(
        "rprop-full-batch",
        second.HIGHWAY_SWISS.but(
            optimizer=other(optim.Rprop, 1e-3, step_sizes=(1e-6, 0.01)), batch=960, epochs=200
        ),
        81,
    ),
    *healthy("rmsprop", bases.ADDITIVE_CIRCUIT.but(optimizer=other(optim.RMSprop, 2e-3)), 81),
    *healthy(
        "momentum-0.99",
        bases.POINTER_POINTING.but(optimizer=sgd(2e-3, 0.99), epochs=12, scheduler=cosine()),
        81,
    ),
    *healthy(
        "weight-decay-1",
        bases.ASKING_DIGITS.but(optimizer=adamw(3e-3, weight_decay=1.0), epochs=7),
        81,
    ),
]

RATES: list[Recipe] = [
    *healthy("warm-restarts", second.HIGHWAY_SHELLS.but(scheduler=restarts(120)), 82),
    *healthy("cyclic", bases.CROSSED_FOREST.but(scheduler=swings(2e-4, 4e-3, 40)), 82),
    *healthy(
        "one-cycle",
        bases.KERNELS_TEXTURES.but(optimizer=adamw(1e-3), scheduler=one_cycle(6e-3)),
        82,
    ),
    *healthy(
        "warm-up-cosine-bf16",
        bases.GATED_GRADES.but(
            scheduler=warmup_cosine(0.2), autocast=torch.bfloat16, clip=1.0, epochs=6
        ),
        82,
    ),
]

RECIPES = KINDS + RATES
