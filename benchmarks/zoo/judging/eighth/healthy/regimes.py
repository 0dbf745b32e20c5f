"""Small and large batches, clipping, low precision, noise, early and late ends."""

from __future__ import annotations

import torch

from ....data import changes
from ....faults import frozen
from ....optimizers import adam, adamw, cosine, sgd, straight
from ....recipe import Recipe, healthy
from ....wider.loops import augmented, averaged_loop, resumed, two_optimizers
from .. import bases

BATCHES: list[Recipe] = [
    *healthy(
        "batch-4",
        bases.SORTED_SPREAD.but(
            source=bases.SORTED_SPREAD.source.sized(480),
            batch=4,
            epochs=6,
            optimizer=adam(1e-3),
            scheduler=cosine(),
        ),
        267,
    ),
    *healthy(
        "batch-256",
        bases.SCALE_DIGITS.but(batch=256, epochs=16, optimizer=adam(3e-3)),
        267,
    ),
    *healthy(
        "accumulate-4-batch-8",
        bases.MIXER_STRIPES.but(
            batch=8, accumulate=4, epochs=5, optimizer=adam(3e-3), scheduler=cosine()
        ),
        267,
    ),
    *healthy(
        "clip-0.5", bases.GATED_WALKS.but(clip=0.5, optimizer=adam(4e-3), scheduler=straight()), 268
    ),
    *healthy(
        "clip-1-nothing-told",
        bases.RELATIVE_TAGGING.but(clip=1.0, report="nothing", scheduler=cosine()),
        268,
    ),
    *healthy("bf16", bases.SCALES_TOWERS.but(autocast=torch.bfloat16, scheduler=cosine()), 268),
]

OTHER_LOOPS: list[Recipe] = [
    *healthy("augmented", bases.MIXER_DIGITS.but(tamper=augmented(0.3), scheduler=cosine()), 269),
    *healthy(
        "averaged",
        bases.HEADS_DIGITS.but(loop=averaged_loop, optimizer=sgd(0.015, 0.9), epochs=8),
        269,
    ),
    *healthy(
        "two-optimizers",
        bases.SCALES_MNIST.but(optimizer=two_optimizers("head", 0.02, 3e-3), epochs=7),
        269,
    ),
    *healthy(
        "fine-tuned-head",
        bases.SCALES_TOWERS.but(
            prepare=lambda model: (
                resumed(bases.SCALES_TOWERS.but(epochs=2), 270)(model),
                frozen("eye")(model),
            ),
            source=bases.SCALES_TOWERS.data(changes.input_noise(0.2)),
            optimizer=adamw(2e-3),
            epochs=6,
            scheduler=cosine(),
        ),
        270,
    ),
]

ENDS: list[Recipe] = [
    *healthy(
        "wrong-labels-0.1",
        bases.COMMITTEE_FOREST.but(
            source=bases.COMMITTEE_FOREST.source.sized(1920).changed(changes.wrong_labels(0.1)),
            model=bases.COMMITTEE_FOREST.remodel(dropout=0.2),
            optimizer=adamw(2e-3, weight_decay=0.05),
            scheduler=cosine(),
            epochs=6,
        ),
        271,
    ),
    *healthy(
        "alpha-dropout",
        bases.SCALE_DIGITS.but(
            model=bases.SCALE_DIGITS.remodel(dropout=0.05),
            optimizer=sgd(0.02, 0.9),
            scheduler=cosine(),
            epochs=9,
        ),
        271,
    ),
    *healthy(
        "one-epoch",
        bases.SORTED_NEEDLES.but(
            source=bases.SORTED_NEEDLES.source.sized(9600), epochs=1, scheduler=cosine()
        ),
        272,
    ),
    *healthy(
        "normalised-dropout",
        bases.GATED_LEVELS.but(
            model=bases.GATED_LEVELS.remodel(norm=True, dropout=0.2), scheduler=cosine()
        ),
        272,
    ),
    *healthy(
        "two-layers-dropout",
        bases.RELATIVE_MAJORITY.but(
            model=bases.RELATIVE_MAJORITY.remodel(layers=2, dropout=0.1),
            optimizer=adam(1e-3),
            scheduler=cosine(),
            epochs=6,
        ),
        272,
    ),
]

RECIPES = BATCHES + OTHER_LOOPS + ENDS
