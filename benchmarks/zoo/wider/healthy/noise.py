"""Losses that stay noisy, or high, because the task is."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn

from ...data import changes
from ...data.noisy import HEAVY_FEATURES, coins, counts, heavy, lines, rare
from ...losses import Focal
from ...models import mlp
from ...optimizers import adam, adamw, cosine, sgd
from ...recipe import Recipe, healthy
from .. import bases
from ..objectives import LogCosh, Quantile, Uncertain

FLOOR: list[Recipe] = [
    *healthy("noise-floor", bases.LINEAR_LINES, 0),
    *healthy("noise-floor-batch-4", bases.LINEAR_LINES.but(batch=4, optimizer=sgd(0.01)), 1),
    *healthy("noise-floor", bases.LINEAR_COINS, 2),
    *healthy("noise-floor-batch-8", bases.LINEAR_COINS.but(batch=8, optimizer=sgd(0.03)), 3),
    *healthy("noise-floor", bases.FC_COINS, 4),
    *healthy(
        "noise-floor-dropout",
        bases.FC_COINS.but(
            source=coins(2880),
            model=bases.FC_COINS.remodel(hidden=32, dropout=0.4),
            optimizer=adamw(3e-3, weight_decay=0.1),
        ),
        5,
    ),
    *healthy(
        "noise-floor-tiny-net",
        bases.FC_HEAVY.but(
            source=lines(),
            model=partial(mlp, 12, 1, hidden=4, depth=1, activation=nn.Tanh),
            loss=bases.SQUARES,
            optimizer=adam(1e-2),
            scheduler=cosine(),
        ),
        6,
    ),
]

TAILS: list[Recipe] = [
    *healthy("huber", bases.FC_HEAVY, 0),
    *healthy("l1-batch-8", bases.FC_HEAVY.but(loss=nn.L1Loss(), batch=8, epochs=6), 1),
    *healthy("squares-clipped", bases.FC_HEAVY.but(loss=bases.SQUARES, clip=1.0, epochs=8), 2),
    *healthy("log-cosh", bases.FC_HEAVY.but(loss=LogCosh(), hand_in_loss=True), 3),
    *healthy("quantile-0.9", bases.FC_HEAVY.but(loss=Quantile(), scheduler=cosine()), 4),
    *healthy(
        "uncertain",
        bases.FC_HEAVY.but(
            model=partial(mlp, HEAVY_FEATURES, 2),
            loss=Uncertain(),
            scoring="none",
            report="loss",
            epochs=8,
            optimizer=adam(2e-3),
        ),
        5,
    ),
    *healthy(
        "student-batch-2",
        bases.FC_HEAVY.but(source=heavy(240), batch=2, optimizer=sgd(0.03), epochs=10),
        6,
    ),
    *healthy("poisson", bases.FC_COUNTS, 0),
    *healthy(
        "poisson-batch-8",
        bases.FC_COUNTS.but(source=counts(480), batch=8, epochs=8, optimizer=adam(1e-3)),
        1,
    ),
]

_WEIGHTED = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 8.0]))

RARE: list[Recipe] = [
    *healthy("rare-class", bases.FC_RARE, 0),
    *healthy(
        "rare-class-weights",
        bases.FC_RARE.but(
            source=rare(2880),
            model=bases.FC_RARE.remodel(hidden=8, depth=1),
            loss=_WEIGHTED,
            hand_in_loss=True,
            optimizer=adamw(5e-3, weight_decay=0.1),
            scheduler=cosine(),
            epochs=6,
        ),
        1,
    ),
    *healthy(
        "rare-class-focal",
        bases.FC_RARE.but(loss=Focal(), optimizer=adam(3e-3), scheduler=cosine(), epochs=5),
        2,
    ),
    *healthy(
        "rare-class-batch-8",
        bases.FC_RARE.but(
            source=rare(960).changed(changes.column()),
            model=partial(mlp, 10, 1),
            loss=nn.BCEWithLogitsLoss(pos_weight=torch.tensor([6.0])),
            scoring="logits",
            batch=8,
            epochs=6,
            optimizer=sgd(0.02, 0.9),
            scheduler=cosine(),
        ),
        3,
    ),
]

RECIPES = FLOOR + TAILS + RARE
