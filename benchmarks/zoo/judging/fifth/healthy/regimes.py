"""Small and large batches, clipping, low precision, frozen parts, noise, early and late ends."""

from __future__ import annotations

import torch

from ....data import changes
from ....faults import frozen
from ....optimizers import adam, adamw, cosine, sgd
from ....recipe import Recipe, healthy
from ....wider.loops import augmented, averaged_loop, resumed
from .. import bases

BATCHES: list[Recipe] = [
    *healthy(
        "batch-4",
        bases.SPLINES_CIRCUIT.but(
            source=bases.SPLINES_CIRCUIT.source.sized(480),
            batch=4,
            epochs=5,
            optimizer=adam(2e-3),
            scheduler=cosine(),
        ),
        140,
    ),
    *healthy(
        "batch-160",
        bases.LOOPED_DIGITS.but(batch=160, epochs=24, optimizer=adam(5e-3), scheduler=cosine()),
        140,
    ),
    *healthy(
        "accumulate-4-batch-8",
        bases.RELATION_SPREAD.but(batch=8, accumulate=4, epochs=7),
        140,
    ),
    *healthy(
        "clip-0.1",
        bases.LOOPED_HOUSING.but(clip=0.1, optimizer=adam(3e-3), scheduler=cosine()),
        140,
    ),
    *healthy(
        "bf16",
        bases.COORDINATES_TEXTURES.but(
            autocast=torch.bfloat16, optimizer=adam(2e-3), scheduler=cosine()
        ),
        140,
    ),
]

_BEFORE = bases.COORDINATES_DIGITS.but(epochs=4)

TUNED: list[Recipe] = [
    *healthy(
        "fine-tuned-head",
        bases.COORDINATES_DIGITS.but(
            prepare=lambda model: (
                resumed(_BEFORE, 141)(model),
                frozen("1.", "2.")(model),
            ),
            source=bases.COORDINATES_DIGITS.data(changes.input_noise(0.4)),
            optimizer=adamw(2e-3),
            epochs=6,
            scheduler=cosine(),
        ),
        141,
    ),
    *healthy("averaged", bases.LOOPED_DIGITS.but(loop=averaged_loop), 141),
    *healthy(
        "augmented",
        bases.COORDINATES_CLOCKS.but(tamper=augmented(0.3), scheduler=cosine()),
        141,
    ),
    *healthy(
        "dropout-0.3",
        bases.LOOPED_DIGITS.but(
            model=bases.LOOPED_DIGITS.remodel(dropout=0.3),
            optimizer=sgd(0.03, 0.9),
            scheduler=cosine(),
        ),
        142,
    ),
]

ENDS: list[Recipe] = [
    *healthy(
        "wrong-labels-0.1",
        bases.LOOPED_DIGITS.but(
            source=bases.LOOPED_DIGITS.data(changes.wrong_labels(0.1)),
            optimizer=adam(1e-3, weight_decay=1e-3),
            scheduler=cosine(),
            epochs=6,
        ),
        143,
    ),
    *healthy(
        "converged",
        bases.SPLINES_CIRCUIT.but(epochs=18, optimizer=adam(5e-3), scheduler=cosine()),
        143,
    ),
    *healthy(
        "one-epoch",
        bases.RELATION_SPREAD.but(
            source=bases.RELATION_SPREAD.source.sized(9600),
            epochs=1,
            scheduler=cosine(),
        ),
        143,
    ),
]

RECIPES = BATCHES + TUNED + ENDS
