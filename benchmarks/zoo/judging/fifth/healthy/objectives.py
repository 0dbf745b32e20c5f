"""Other losses that are right for what they are used for."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import Tensor, nn

from ....data import changes
from ....data.noisy import RARE_FEATURES, rare
from ....optimizers import adam, adamw, cosine
from ....recipe import Recipe, healthy
from ....wider.loops import mixed
from ....wider.objectives import AllTriplets
from .. import bases
from ..networks.pictures import Codebook, coordinates
from ..networks.sequences import QuasiRnn
from ..networks.tables import Looped
from ..objectives import Angular, Coded, Cox, PerClass, Quantiles, Siblings

_NO_SCORE = {"scoring": "none", "report": "loss"}
_DIGITS = bases.LOOPED_DIGITS


class Doubled(Looped):
    """The same network on both views of a sample."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.flatten(0, 1)).unflatten(0, (-1, 2))


UNLABELLED: list[Recipe] = [
    *healthy(
        "codes",
        _DIGITS.but(
            **_NO_SCORE,
            architecture="codebook",
            source=_DIGITS.data(changes.inputs_as_targets),
            model=partial(Codebook, 64),
            loss=Coded(),
            optimizer=adam(3e-3),
            epochs=10,
            scheduler=cosine(),
        ),
        132,
    ),
    *healthy(
        "two-views",
        _DIGITS.but(
            **_NO_SCORE,
            source=_DIGITS.data(changes.two_views(0.3)),
            model=partial(Doubled, 64, 12, width=48, loops=2),
            loss=Siblings(),
            optimizer=adam(2e-3),
            batch=64,
            epochs=12,
            scheduler=cosine(),
        ),
        132,
    ),
    *healthy(
        "triplets",
        bases.COORDINATES_DIGITS.but(
            **_NO_SCORE,
            model=partial(coordinates, 1, 8, blocks=2),
            loss=AllTriplets(),
            optimizer=adam(2e-3),
            scheduler=cosine(),
        ),
        132,
    ),
]

LABELLED: list[Recipe] = [
    *healthy("partial-likelihood", bases.FIELDS_LIFETIMES.but(loss=Cox(), batch=64), 133),
    *healthy(
        "three-quantiles",
        bases.QUASI_DEMAND.but(
            **_NO_SCORE,
            model=partial(QuasiRnn, 1, 3, width=32),
            loss=Quantiles(),
            scheduler=cosine(),
        ),
        133,
    ),
    *healthy(
        "margin",
        bases.COORDINATES_DIGITS.but(
            loss=Angular(), hand_in_loss=True, optimizer=adam(2e-3), scheduler=cosine()
        ),
        133,
    ),
    *healthy(
        "label-smoothing-0.1",
        bases.SHUFFLED_MNIST.but(
            loss=nn.CrossEntropyLoss(label_smoothing=0.1), scheduler=cosine(), epochs=6
        ),
        133,
    ),
    *healthy("many-labels", bases.FOURIER_SPECTRA.but(epochs=9, scheduler=cosine()), 133),
    *healthy(
        "rare-class-weighted",
        bases.LOOPED_SHELLS.but(
            source=rare(),
            model=partial(Looped, RARE_FEATURES, 2, loops=2),
            loss=PerClass(1.0, 6.0),
            optimizer=adamw(2e-3),
            epochs=6,
            scheduler=cosine(),
        ),
        133,
    ),
    *healthy(
        "mixed-up",
        _DIGITS.but(
            source=_DIGITS.data(changes.one_hot(10)),
            loss=F.cross_entropy,
            scoring="classes-one-hot",
            tamper=mixed,
            scheduler=cosine(),
        ),
        134,
    ),
]

RECIPES = UNLABELLED + LABELLED
