"""Other optimizers, schedules and losses, all of them sound."""

from __future__ import annotations

from torch import nn, optim

from ....data import changes
from ....losses import Focal
from ....optimizers import (
    adagrad,
    adam,
    adamw,
    cosine,
    fading,
    inverse_root,
    nadam,
    one_cycle,
    other,
    rmsprop,
    sgd,
    stairs,
    straight,
    warmup_cosine,
)
from ....recipe import Recipe, healthy
from ....wider.objectives import LogCosh, Uncertain
from .. import bases
from ..objectives import DigitAndParity, EveryStage, with_parity

_NO_SCORE = {"scoring": "none", "report": "loss"}

OPTIMIZERS: list[Recipe] = [
    *healthy(
        "rmsprop-fading",
        bases.GATED_ORBITS.but(optimizer=rmsprop(2e-3), scheduler=fading(0.05)),
        262,
    ),
    *healthy(
        "nesterov-stairs",
        bases.MIXER_TEXTURES.but(optimizer=sgd(0.03, 0.9, nesterov=True), scheduler=stairs()),
        262,
    ),
    *healthy(
        "one-cycle", bases.SCALES_MNIST.but(optimizer=adam(1e-3), scheduler=one_cycle(5e-3)), 262
    ),
    *healthy(
        "warm-up-cosine",
        bases.RELATIVE_SIGNALS.but(optimizer=adamw(4e-3), scheduler=warmup_cosine(0.15)),
        263,
    ),
    *healthy(
        "adagrad",
        bases.COMMITTEE_REGIONS.but(optimizer=adagrad(0.1), scheduler=cosine(), epochs=14),
        263,
    ),
    *healthy(
        "nadam-straight",
        bases.SORTED_COLOURS.but(optimizer=nadam(3e-3), scheduler=straight()),
        263,
    ),
    *healthy(
        "adamax",
        bases.SCALE_LOANS.but(optimizer=other(optim.Adamax, 2e-3), scheduler=cosine()),
        264,
    ),
    *healthy(
        "inverse-root",
        bases.RELATIVE_PEAKS.but(optimizer=adam(3e-3), scheduler=inverse_root(40)),
        264,
    ),
]

LOSSES: list[Recipe] = [
    *healthy(
        "two-questions",
        bases.HEADS_DIGITS.but(
            **_NO_SCORE,
            source=bases.HEADS_DIGITS.data(changes.targets(with_parity)),
            model=bases.HEADS_DIGITS.remodel(answers=(10, 1)),
            loss=DigitAndParity(),
            scheduler=cosine(),
        ),
        265,
    ),
    *healthy(
        "every-stage",
        bases.STAGED_LIQUIDS.but(
            **_NO_SCORE,
            model=bases.STAGED_LIQUIDS.remodel(every=True),
            loss=EveryStage(),
            scheduler=cosine(),
        ),
        265,
    ),
    *healthy(
        "with-its-doubt",
        bases.COMMITTEE_HOUSING.but(
            **_NO_SCORE,
            model=bases.COMMITTEE_HOUSING.remodel(outputs=2),
            loss=Uncertain(),
            optimizer=adam(2e-3),
            scheduler=cosine(),
        ),
        265,
    ),
    *healthy("focal", bases.STAGED_SHELLS.but(loss=Focal(), scheduler=cosine()), 266),
    *healthy(
        "label-smoothing",
        bases.MIXER_STRIPES.but(loss=nn.CrossEntropyLoss(label_smoothing=0.1), scheduler=cosine()),
        266,
    ),
    *healthy("log-cosh", bases.STAGED_DEMAND.but(loss=LogCosh(), scheduler=cosine()), 266),
    *healthy(
        "summed-squares",
        bases.HEADS_ARMS.but(
            loss=nn.MSELoss(reduction="sum"), optimizer=adam(1e-3), scheduler=cosine()
        ),
        266,
    ),
]

RECIPES = OPTIMIZERS + LOSSES
