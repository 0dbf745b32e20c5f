"""Other optimizers, schedules and losses, all of them sound."""

from __future__ import annotations

from functools import partial

from torch import nn, optim

from ....data.noisy import COUNT_FEATURES, counts
from ....losses import Focal
from ....optimizers import (
    adam,
    adamw,
    cosine,
    fading,
    nadam,
    one_cycle,
    other,
    rmsprop,
    sgd,
    stairs,
    warmup,
)
from ....recipe import Recipe, healthy
from .. import bases
from ..networks.tables import grouped

OPTIMIZERS: list[Recipe] = [
    *healthy(
        "rmsprop-fading",
        bases.BILINEAR_CIRCUIT.but(optimizer=rmsprop(3e-3), scheduler=fading(0.05)),
        222,
    ),
    *healthy(
        "nadam-cosine", bases.PLACED_STRIPES.but(optimizer=nadam(2e-3), scheduler=cosine()), 222
    ),
    *healthy(
        "one-cycle", bases.DENSE_MNIST.but(optimizer=adam(1e-3), scheduler=one_cycle(1e-2)), 222
    ),
    *healthy(
        "nesterov-stairs",
        bases.GROUPED_DIGITS.but(optimizer=sgd(0.03, 0.9, nesterov=True), scheduler=stairs()),
        223,
    ),
    *healthy(
        "radam",
        bases.REMEMBERING_SHELLS.but(optimizer=other(optim.RAdam, 2e-2), scheduler=cosine()),
        223,
    ),
    *healthy(
        "adafactor",
        bases.READERS_LEAKY.but(optimizer=other(optim.Adafactor, 2e-2), scheduler=cosine()),
        223,
    ),
    *healthy(
        "warm-up-third",
        bases.AXIAL_DIGITS.but(optimizer=adamw(4e-3), scheduler=warmup(0.3), epochs=10),
        224,
    ),
]

LOSSES: list[Recipe] = [
    *healthy("focal", bases.NEAREST_COLOURS.but(loss=Focal(), scheduler=cosine()), 224),
    *healthy(
        "label-smoothing",
        bases.CLOCKWORK_WALKS.but(
            loss=nn.CrossEntropyLoss(label_smoothing=0.1), scheduler=cosine()
        ),
        225,
    ),
    *healthy("l1", bases.NEAREST_SPREAD.but(loss=nn.L1Loss(), scheduler=cosine()), 225),
    *healthy(
        "poisson",
        bases.GROUPED_HOUSING.but(
            source=counts(),
            model=partial(grouped, COUNT_FEATURES, 1, depth=2),
            loss=nn.PoissonNLLLoss(),
            optimizer=adam(1e-3),
            scoring="none",
            report="loss",
            scheduler=cosine(),
            epochs=7,
        ),
        226,
    ),
    *healthy(
        "multi-margin",
        bases.REMEMBERING_REGIONS.but(loss=nn.MultiMarginLoss(), scheduler=cosine()),
        226,
    ),
]

RECIPES = OPTIMIZERS + LOSSES
