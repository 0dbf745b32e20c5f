"""Many losses that are right for what they are used for."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from ...data import changes
from ...data.drawn import DIRECTIONS, shapes, stripes
from ...data.points import TAGS, moons, tags
from ...data.source import Source
from ...losses import SmoothContrast, VariationalLoss
from ...optimizers import adam, cosine
from ...plan import Plan
from ...recipe import Recipe, healthy
from ...special import MomentDistance, adversarial_loop, adversary_optimizers
from .. import bases
from ..networks.generative import Denoiser, PictureAutoencoder, SmoothAdversaries
from ..networks.pictures import separable
from ..networks.tables import Dense, funnel

_SMOOTH = nn.CrossEntropyLoss(label_smoothing=0.1)
_TAGS = bases.FUNNEL_FOREST.but(
    source=tags(),
    model=partial(funnel, 30, TAGS, dropout=0.2),
    loss=bases.YES_OR_NO,
    optimizer=adam(5e-3),
    scheduler=cosine(),
    scoring="logits",
)
_CANCER_PROBABILITY = bases.WIDE_CANCER.but(
    model=bases.WIDE_CANCER.remodel(output=nn.Sigmoid), loss=nn.BCELoss(), scoring="probabilities"
)
_MAJORITY_LOGARITHM = bases.BOTH_MAJORITY.but(
    model=bases.BOTH_MAJORITY.remodel(output=partial(nn.LogSoftmax, dim=-1)), loss=nn.NLLLoss()
)
_RARE = bases.SEPARABLE_STRIPES.but(
    source=bases.SEPARABLE_STRIPES.data(changes.targets(lambda y: (y == 2).float().reshape(-1, 1))),
    model=partial(separable, 1, 1),
    loss=nn.BCEWithLogitsLoss(pos_weight=torch.tensor([4.0])),
    scoring="logits",
    hand_in_loss=True,
)

SUPERVISED: list[Recipe] = [
    *healthy("label-smoothing", bases.VIT_STRIPES.but(loss=_SMOOTH, hand_in_loss=True), 33),
    *healthy("multi-label", _TAGS, 33),
    *healthy("rare-class", _RARE, 33),
    *healthy(
        "one-hot-squares",
        bases.MIXER_STRIPES.but(
            source=bases.MIXER_STRIPES.data(changes.one_hot(DIRECTIONS)),
            loss=F.mse_loss,
            scoring="classes-one-hot",
        ),
        33,
    ),
    *healthy("log-softmax", _MAJORITY_LOGARITHM, 33),
    *healthy("sigmoid-bce", _CANCER_PROBABILITY, 33),
    *healthy("huber", bases.TCN_EXCHANGE.but(loss=nn.HuberLoss(), hand_in_loss=True), 33),
]


def _unlabelled(architecture: str, source: Source, loss: nn.Module, **rest: object) -> Plan:
    """A plan for a model that imitates what it sees and is neither right nor wrong."""
    return bases.FUNNEL_MOONS.but(
        architecture=architecture,
        source=source.changed(changes.inputs_as_targets),
        loss=loss,
        scoring="none",
        report="loss",
        hand_in_loss=True,
        **rest,
    )


def _adversaries(source: Source, rate: float) -> Plan:
    return _unlabelled(
        "adversaries",
        source,
        MomentDistance(),
        model=partial(SmoothAdversaries, 2),
        optimizer=adversary_optimizers(rate),
        batch=64,
        epochs=24,
        loop=adversarial_loop,
        steps_per_batch=2,
    ).but(report="nothing", hand_in_loss=False)


def _autoencoder(source: Source, side: int) -> Plan:
    return _unlabelled(
        "picture-autoencoder",
        source,
        VariationalLoss(),
        model=partial(PictureAutoencoder, side),
        optimizer=adam(3e-3),
        epochs=10,
    )


UNSUPERVISED: list[Recipe] = [
    *healthy("variational", _autoencoder(shapes(), 16), 34),
    *healthy(
        "denoising",
        _unlabelled(
            "denoiser",
            stripes(),
            bases.SQUARES,
            model=partial(Denoiser, 1),
            optimizer=adam(3e-3),
            epochs=8,
        ),
        34,
    ),
    *healthy("least-squares", _adversaries(moons(), 1e-3), 34),
    *healthy(
        "contrast",
        bases.DENSE_DIGITS.but(
            source=bases.DENSE_DIGITS.data(changes.two_views(0.5)),
            model=partial(Dense, 64, 16),
            loss=SmoothContrast(),
            optimizer=adam(2e-3),
            scoring="none",
            report="loss",
        ),
        34,
    ),
]

RECIPES = SUPERVISED + UNSUPERVISED
