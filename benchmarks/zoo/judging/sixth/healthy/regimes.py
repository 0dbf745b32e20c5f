"""Small batches, clipping, low precision, noise, early and late ends."""

from __future__ import annotations

import torch

from ....data import changes
from ....optimizers import adam, adamw, cosine
from ....recipe import Recipe, healthy
from ....wider.loops import augmented
from .. import bases

BATCHES: list[Recipe] = [
    *healthy(
        "batch-6",
        bases.WAVED_SWISS.but(
            source=bases.WAVED_SWISS.source.sized(480), batch=6, epochs=5, optimizer=adam(3e-3)
        ),
        180,
    ),
    *healthy("accumulate-2-batch-16", bases.POOLED_NEEDLES.but(batch=16, accumulate=2), 180),
    *healthy("clip-0.5", bases.LEAKY_PEAKS.but(clip=0.5, optimizer=adam(8e-3)), 180),
    *healthy("bf16", bases.FACTORED_FOREST.but(autocast=torch.bfloat16, scheduler=cosine()), 181),
    *healthy(
        "augmented",
        bases.ASYMMETRIC_STRIPES.but(tamper=augmented(0.4), scheduler=cosine()),
        181,
    ),
]

ENDS: list[Recipe] = [
    *healthy(
        "wrong-labels-0.15",
        bases.FACTORED_DIGITS.but(
            source=bases.FACTORED_DIGITS.data(changes.wrong_labels(0.15)),
            model=bases.FACTORED_DIGITS.remodel(dropout=0.2),
            optimizer=adamw(2e-3, weight_decay=0.05),
            scheduler=cosine(),
            epochs=7,
        ),
        182,
    ),
    *healthy("converged", bases.WAVED_TERRAIN.but(epochs=20, scheduler=cosine()), 182),
    *healthy(
        "one-epoch",
        bases.POOLED_COLOURS.but(
            source=bases.POOLED_COLOURS.source.sized(7680), epochs=1, scheduler=cosine()
        ),
        182,
    ),
]

RECIPES = BATCHES + ENDS
