"""Small batches, clipping, low precision, noise, early and late ends."""

from __future__ import annotations

import torch

from ....data import changes
from ....faults import frozen
from ....optimizers import adam, adamw, cosine, sgd
from ....recipe import Recipe, healthy
from ....wider.loops import augmented, averaged_loop
from .. import bases

BATCHES: list[Recipe] = [
    *healthy(
        "batch-4",
        bases.REMEMBERING_SWISS.but(
            source=bases.REMEMBERING_SWISS.source.sized(480),
            batch=4,
            epochs=5,
            optimizer=adam(1e-3),
        ),
        227,
    ),
    *healthy(
        "accumulate-4-batch-8",
        bases.READERS_WALKS.but(batch=8, accumulate=4, optimizer=adamw(2e-3), scheduler=cosine()),
        227,
    ),
    *healthy("clip-0.3", bases.CLOCKWORK_ORBITS.but(clip=0.3, optimizer=adam(5e-3)), 227),
    *healthy("bf16", bases.PLACED_TOWERS.but(autocast=torch.bfloat16, scheduler=cosine()), 228),
    *healthy("augmented", bases.DENSE_TOWERS.but(tamper=augmented(0.4), scheduler=cosine()), 228),
    *healthy("averaged", bases.PLACED_DIGITS.but(loop=averaged_loop), 228),
    *healthy(
        "batch-256", bases.BILINEAR_DIGITS.but(batch=256, optimizer=adam(1e-2), epochs=14), 229
    ),
]

ENDS: list[Recipe] = [
    *healthy(
        "wrong-labels-0.15",
        bases.GROUPED_DIGITS.but(
            source=bases.GROUPED_DIGITS.data(changes.wrong_labels(0.15)),
            model=bases.GROUPED_DIGITS.remodel(dropout=0.2),
            optimizer=adamw(2e-3, weight_decay=0.05),
            scheduler=cosine(),
            epochs=7,
        ),
        229,
    ),
    *healthy(
        "half-is-noise",
        bases.BILINEAR_LIQUIDS.but(
            source=bases.BILINEAR_LIQUIDS.source.sized(1920).changed(changes.target_noise(0.8)),
            model=bases.BILINEAR_LIQUIDS.remodel(width=12),
            scheduler=cosine(),
            epochs=6,
        ),
        229,
    ),
    *healthy(
        "one-epoch",
        bases.NEAREST_COLOURS.but(
            source=bases.NEAREST_COLOURS.source.sized(7680), epochs=1, scheduler=cosine()
        ),
        230,
    ),
    *healthy(
        "first-layer-frozen",
        bases.GROUPED_FOREST.but(prepare=frozen("0."), optimizer=sgd(0.03, 0.9)),
        230,
    ),
]

RECIPES = BATCHES + ENDS
