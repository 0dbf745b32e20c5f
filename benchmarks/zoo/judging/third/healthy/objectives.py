"""Losses that need not look like a loss: they hover, are negative, or end at a height."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from ....data import changes
from ....data.arranged import textures
from ....data.measured import waits
from ....data.points import TAGS, moons, spirals, tags
from ....optimizers import adam, cosine, sgd
from ....plan import Plan
from ....recipe import Recipe, healthy
from ....special import MomentDistance, adversarial_loop, adversary_optimizers
from ...networks.generative import SmoothAdversaries
from ...second import bases as second
from .. import bases
from ..networks.generative import (
    ActorCritic,
    ActorCriticLoss,
    Flow,
    FlowLoss,
    Likeness,
    Ordered,
    Ranked,
)
from ..networks.pictures import MaskedAutoencoder, squeezed
from ..networks.tables import Crossed, Densities, DensityLoss, gated

_NO_SCORE = {"scoring": "none", "report": "loss"}


def _flow(source: object, rate: float, epochs: int) -> Plan:
    return bases.TREES_REGIONS.but(
        **_NO_SCORE,
        architecture="flow",
        source=source,
        model=partial(Flow, 2),
        loss=FlowLoss(),
        optimizer=adam(rate),
        scheduler=cosine(),
        epochs=epochs,
    )


_ADVERSARIES = bases.TREES_REGIONS.but(
    **_NO_SCORE,
    architecture="adversaries",
    source=spirals().changed(changes.inputs_as_targets),
    loss=MomentDistance(),
    model=partial(SmoothAdversaries, 2),
    optimizer=adversary_optimizers(1e-3),
    batch=64,
    epochs=20,
    loop=adversarial_loop,
    steps_per_batch=2,
).but(report="nothing")
_BANDIT = bases.TREES_REGIONS.but(
    **_NO_SCORE,
    architecture="actor-critic",
    model=partial(ActorCritic, 2, 4),
    loss=ActorCriticLoss(),
    optimizer=adam(3e-3),
    epochs=16,
)

MAKERS: list[Recipe] = [
    *healthy("likelihood", _flow(moons(960), 5e-3, 12), 75),
    *healthy("least-squares", _ADVERSARIES, 75),
    *healthy(
        "masked-autoencoder",
        bases.PROTOTYPES_DIGITS.but(
            **_NO_SCORE,
            architecture="masked-autoencoder",
            source=bases.PROTOTYPES_DIGITS.data(changes.inputs_as_targets),
            model=partial(MaskedAutoencoder, 64),
            loss=F.mse_loss,
            epochs=9,
            scheduler=cosine(),
        ),
        75,
    ),
    *healthy(
        "densities",
        bases.GATED_WAITS.but(
            **_NO_SCORE,
            architecture="densities",
            source=waits().changed(changes.targets(torch.log)),
            model=partial(Densities, 5),
            loss=DensityLoss(),
            optimizer=adam(3e-3),
        ),
        75,
    ),
    *healthy("bandit", _BANDIT, 75),
    *healthy(
        "bandit",
        _BANDIT.but(
            source=bases.PROTOTYPES_DIGITS.source,
            model=partial(ActorCritic, 64, 10, width=64),
            optimizer=adam(2e-3),
            batch=64,
            epochs=24,
        ),
        76,
    ),
]

_SMOOTH = nn.CrossEntropyLoss(label_smoothing=0.2)
_RIGHT_GRADES = partial(gated, 7, 4, depth=2, width=24)

SUPERVISED: list[Recipe] = [
    *healthy(
        "ordinal",
        bases.GATED_GRADES.but(
            **_NO_SCORE, model=_RIGHT_GRADES, loss=Ordered(), epochs=6, scheduler=cosine()
        ),
        77,
    ),
    *healthy(
        "ranking",
        bases.GATED_HOUSING.but(**_NO_SCORE, loss=Ranked(), epochs=6, scheduler=cosine()),
        77,
    ),
    *healthy(
        "supervised-contrast",
        bases.SQUEEZED_TEXTURES.but(
            **_NO_SCORE, source=textures(), model=partial(squeezed, 1, 16), loss=Likeness()
        ),
        77,
    ),
    *healthy("label-smoothing-0.2", bases.JOINED_SHAPES.but(loss=_SMOOTH, hand_in_loss=True), 78),
    *healthy(
        "multi-label",
        bases.CROSSED_FOREST.but(
            source=tags(),
            model=partial(Crossed, 30, TAGS, dropout=0.2),
            loss=bases.YES_OR_NO,
            scoring="logits",
            scheduler=cosine(),
        ),
        78,
    ),
    *healthy(
        "one-hot-squares",
        second.HIGHWAY_SHELLS.but(
            source=second.HIGHWAY_SHELLS.data(changes.one_hot(3)),
            loss=F.mse_loss,
            scoring="classes-one-hot",
            optimizer=adam(5e-3),
            scheduler=cosine(),
        ),
        78,
    ),
    *healthy(
        "softplus-output",
        bases.CROSSED_SALES.but(
            source=bases.CROSSED_SALES.data(changes.targets(lambda y: y.exp().log1p())),
            model=bases.CROSSED_SALES.remodel(output=nn.Softplus),
            loss=nn.SmoothL1Loss(),
        ),
        79,
    ),
    *healthy(
        "summed-loss",
        bases.POINTER_POINTING.but(
            loss=nn.CrossEntropyLoss(reduction="sum"),
            optimizer=sgd(3e-4, 0.9),
            scheduler=cosine(),
            epochs=8,
        ),
        79,
    ),
]

RECIPES = MAKERS + SUPERVISED
