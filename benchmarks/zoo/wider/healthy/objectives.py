"""Losses that need not look like a loss: they hover, are negative, or end at a height."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from ... import bases as first
from ...data import changes
from ...models import mlp
from ...optimizers import adam, adamw, cosine, sgd, warmup_cosine
from ...recipe import Recipe, healthy
from .. import bases
from ..loops import mixed
from ..networks import Diffuser, TwoTasks
from ..objectives import (
    AllTriplets,
    BothTasks,
    CosineTargets,
    Dice,
    Distilled,
    Hinge,
    NoiseGuessed,
    PolicyGradient,
    WithPenalty,
)

_OTHER = {"architecture": "other", "scoring": "none", "report": "loss"}

DISTANCES: list[Recipe] = [
    *healthy(
        "triplets",
        first.FC_DIGITS.but(
            **_OTHER, model=partial(mlp, 64, 16), loss=AllTriplets(), optimizer=adam(1e-3)
        ),
        3,
    ),
    *healthy(
        "cosine-targets",
        first.FC_DIGITS.but(
            **_OTHER,
            model=partial(mlp, 64, 24, hidden=48),
            loss=CosineTargets(10, 24),
            epochs=8,
        ),
        4,
    ),
    *healthy(
        "distilled",
        first.CNN_MNIST.but(loss=Distilled(10), optimizer=adam(3e-3), epochs=6),
        12,
    ),
    *healthy(
        "diffusion",
        first.FC_CIRCLES.but(
            **_OTHER,
            source=first.FC_CIRCLES.data(changes.inputs_as_targets),
            model=partial(Diffuser, 2),
            loss=NoiseGuessed(),
            optimizer=adam(2e-3),
            epochs=30,
        ),
        5,
    ),
    *healthy(
        "diffusion-warm-up",
        first.FC_DIGITS.but(
            **_OTHER,
            source=first.FC_DIGITS.data(changes.inputs_as_targets),
            model=partial(Diffuser, 64, hidden=128),
            loss=NoiseGuessed(),
            optimizer=adamw(2e-3),
            scheduler=warmup_cosine(),
            epochs=14,
        ),
        6,
    ),
]

POLICIES: list[Recipe] = [
    *healthy(
        "policy-gradient",
        first.FC_BLOBS.but(loss=PolicyGradient(), optimizer=adam(5e-3), epochs=16),
        0,
    ),
    *healthy(
        "policy-gradient",
        first.FC_DIGITS.but(loss=PolicyGradient(), optimizer=adam(2e-3), batch=64, epochs=30),
        10,
    ),
]

MARGINS: list[Recipe] = [
    *healthy("hinge", bases.LINEAR_COINS.but(loss=Hinge(), optimizer=sgd(0.02)), 5),
    *healthy(
        "hinge",
        first.FC_CIRCLES_BINARY.but(loss=Hinge(), optimizer=sgd(0.05, 0.9), epochs=12),
        9,
    ),
    *healthy(
        "multi-margin",
        first.FC_DIGITS.but(loss=nn.MultiMarginLoss(), optimizer=adam(1e-3)),
        11,
    ),
    *healthy("penalised", first.CNN_DIGITS.but(loss=WithPenalty(), epochs=8), 0),
    *healthy(
        "dice",
        bases.HOURGLASS_MASKS.but(loss=Dice(), hand_in_loss=True),
        1,
    ),
]

_SMOOTHED = nn.CrossEntropyLoss(label_smoothing=0.3)

BLENDS: list[Recipe] = [
    *healthy(
        "two-tasks",
        first.FC_DIGITS.but(**_OTHER, model=partial(TwoTasks, 64, 10, 1), loss=BothTasks()),
        7,
    ),
    *healthy(
        "two-tasks-unequal",
        first.FC_MNIST.but(
            **_OTHER,
            model=partial(TwoTasks, 196, 10, 1),
            loss=BothTasks(20.0),
            optimizer=adam(2e-3),
            epochs=7,
        ),
        8,
    ),
    *healthy(
        "mix-up",
        first.FC_DIGITS.but(
            source=first.FC_DIGITS.data(changes.one_hot(10)),
            scoring="classes-one-hot",
            tamper=mixed,
        ),
        12,
    ),
    *healthy("label-smoothing-0.3", first.TRANSFORMER_DIGITS.but(loss=_SMOOTHED, epochs=8), 9),
    *healthy(
        "label-smoothing-0.3",
        first.RNN_REUTERS.but(loss=_SMOOTHED, hand_in_loss=True, scheduler=cosine(), epochs=10),
        0,
    ),
    *healthy(
        "bce-one-hot",
        first.CNN_DIGITS.but(
            source=first.CNN_DIGITS.data(changes.one_hot(10)),
            loss=F.binary_cross_entropy_with_logits,
            scoring="classes-one-hot",
            optimizer=adam(5e-3),
            epochs=8,
        ),
        1,
    ),
    *healthy(
        "summed-loss",
        first.FC_DIGITS.but(
            loss=nn.CrossEntropyLoss(reduction="sum"),
            optimizer=sgd(5e-4, 0.9),
            scheduler=cosine(),
            epochs=8,
        ),
        13,
    ),
    *healthy(
        "scaled-loss",
        first.FC_FRIEDMAN.but(
            loss=lambda output, target: 1e-3 * F.mse_loss(output, target), report="loss"
        ),
        10,
    ),
    *healthy(
        "tanh-output",
        first.FC_FRIEDMAN.but(
            source=first.FC_FRIEDMAN.data(changes.targets(lambda y: torch.tanh(y))),
            model=first.FC_FRIEDMAN.remodel(output=nn.Tanh),
            scheduler=cosine(),
        ),
        11,
    ),
    *healthy(
        "sigmoid-output-squares",
        first.FC_FRIEDMAN.but(
            source=first.FC_FRIEDMAN.data(changes.targets(lambda y: torch.sigmoid(1.5 * y))),
            model=first.FC_FRIEDMAN.remodel(output=nn.Sigmoid),
            optimizer=adam(8e-3),
        ),
        12,
    ),
]

RECIPES = DISTANCES + POLICIES + MARGINS + BLENDS
