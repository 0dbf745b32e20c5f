"""Other optimizers, schedules and losses, all of them sound."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data.noisy import HEAVY_FEATURES, heavy
from ....losses import Focal
from ....optimizers import (
    adam,
    cosine,
    nadam,
    one_cycle,
    rmsprop,
    sgd,
    stairs,
    straight,
)
from ....recipe import Recipe, healthy
from .. import bases
from ..networks.tables import Hyper

OPTIMIZERS: list[Recipe] = [
    *healthy(
        "rmsprop-straight-down",
        bases.FACTORED_FRIEDMAN.but(optimizer=rmsprop(3e-3), scheduler=straight()),
        172,
    ),
    *healthy("nadam", bases.HYPER_REGIONS.but(optimizer=nadam(3e-3), scheduler=cosine()), 172),
    *healthy(
        "one-cycle",
        bases.ASYMMETRIC_MNIST.but(optimizer=adam(1e-3), scheduler=one_cycle(1e-2)),
        172,
    ),
    *healthy(
        "nesterov-stairs",
        bases.FACTORED_DIGITS.but(optimizer=sgd(0.03, 0.9, nesterov=True), scheduler=stairs()),
        173,
    ),
]

LOSSES: list[Recipe] = [
    *healthy("focal", bases.POOLED_COLOURS.but(loss=Focal(), scheduler=cosine()), 174),
    *healthy(
        "huber-of-heavy-tails",
        bases.HYPER_ARMS.but(
            source=heavy(),
            model=partial(Hyper, HEAVY_FEATURES, 1),
            loss=nn.HuberLoss(),
            scheduler=cosine(),
            epochs=8,
        ),
        174,
    ),
]

RECIPES = OPTIMIZERS + LOSSES
