"""Other losses that are right for what they are used for."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data import changes
from ....data.drawn import stripes
from ....data.more_points import checkers
from ....data.points import TAGS, tags
from ....losses import VariationalLoss
from ....optimizers import adam, cosine
from ....recipe import Recipe, healthy
from ....special import MomentDistance, adversarial_loop, adversary_optimizers
from ...networks.generative import PictureAutoencoder, SmoothAdversaries
from .. import bases
from ..networks.tables import maxout

_UNLABELLED = bases.MAXOUT_CHECKERS.but(scoring="none", report="loss")
_TAGS = bases.MAXOUT_HASTIE.but(
    source=tags(),
    model=partial(maxout, 30, TAGS, dropout=0.2),
    optimizer=adam(3e-3),
    scheduler=cosine(),
    epochs=8,
)
_VARIATIONAL = _UNLABELLED.but(
    architecture="picture-autoencoder",
    source=stripes().changed(changes.inputs_as_targets),
    loss=VariationalLoss(),
    model=partial(PictureAutoencoder, 12),
    optimizer=adam(3e-3),
    epochs=9,
    hand_in_loss=True,
)
_ADVERSARIES = _UNLABELLED.but(
    architecture="adversaries",
    source=checkers().changed(changes.inputs_as_targets),
    loss=MomentDistance(),
    model=partial(SmoothAdversaries, 2),
    optimizer=adversary_optimizers(1e-3),
    batch=64,
    epochs=18,
    loop=adversarial_loop,
    steps_per_batch=2,
    report="nothing",
)

RECIPES: list[Recipe] = [
    *healthy("multi-label", _TAGS, 58),
    *healthy(
        "label-smoothing",
        bases.LENET_DIGITS.but(loss=nn.CrossEntropyLoss(label_smoothing=0.1)),
        58,
    ),
    *healthy("huber", bases.MAXOUT_CIRCUIT.but(loss=nn.HuberLoss(), hand_in_loss=True), 58),
    *healthy("variational", _VARIATIONAL, 59),
    *healthy("least-squares", _ADVERSARIES, 59),
]
