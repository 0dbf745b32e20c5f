"""Losses that stay noisy, or high, because the task is."""

from __future__ import annotations

import torch
from torch import nn

from ....data.measured import alarms, odds, sales
from ....losses import Focal
from ....optimizers import adam, cosine, sgd
from ....recipe import Recipe, healthy
from .. import bases
from ..networks.generative import Waiting

_ODDS = bases.ADDITIVE_ODDS
_WAITS = bases.GATED_WAITS.but(loss=Waiting(), scoring="none", report="loss")
_MONEY = bases.CROSSED_SALES.but(source=sales())
_WEIGHTED = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([8.0]))

RECIPES: list[Recipe] = [
    *healthy("noise-floor-batch-6", _ODDS.but(source=odds(960), batch=6, optimizer=adam(2e-3)), 71),
    *healthy("noise-floor-momentum", _ODDS.but(optimizer=sgd(0.03, 0.9)), 72),
    *healthy("exponential-times", _WAITS, 71),
    *healthy("money-huber", _MONEY.but(loss=nn.HuberLoss(), optimizer=adam(3e-3), clip=5.0), 71),
    *healthy(
        "money-l1-batch-8",
        _MONEY.but(loss=nn.L1Loss(), batch=8, epochs=5, scheduler=cosine()),
        72,
    ),
    *healthy("rare-weighted", bases.CROSSED_ALARMS.but(loss=_WEIGHTED, hand_in_loss=True), 73),
    *healthy(
        "rare-batch-8",
        bases.CROSSED_ALARMS.but(
            source=alarms(960), batch=8, optimizer=adam(3e-3), epochs=6, scheduler=cosine()
        ),
        74,
    ),
    *healthy(
        "hard-classes-focal",
        bases.GATED_GRADES.but(loss=Focal(), epochs=6, scheduler=cosine()),
        71,
    ),
    *healthy(
        "batch-2",
        bases.GRAPH_MOLECULES.but(
            source=bases.GRAPH_MOLECULES.source.sized(400), batch=2, epochs=5, optimizer=adam(1e-3)
        ),
        71,
    ),
    *healthy(
        "batch-1",
        bases.BUMPS_REGIONS.but(
            source=bases.BUMPS_REGIONS.source.sized(300),
            batch=1,
            epochs=5,
            optimizer=adam(5e-3),
            scheduler=cosine(),
        ),
        71,
    ),
]
