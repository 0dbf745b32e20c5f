"""Clipping that always acts, averages, fine-tuning, augmentation, odd lengths and sizes."""

from __future__ import annotations

from ....data import changes
from ....faults import frozen, scaled_weights
from ....optimizers import adam, adamw, cosine, sgd
from ....recipe import Recipe, healthy
from ....wider.loops import augmented, averaged_loop, resumed
from ...second import bases as second
from .. import bases

CLIPPED: list[Recipe] = [
    *healthy("clip-0.02", bases.CROSSED_FOREST.but(clip=0.02, scheduler=cosine()), 84),
    *healthy(
        "clip-0.1-momentum",
        bases.GATED_HOUSING.but(clip=0.1, optimizer=sgd(0.1, 0.9), scheduler=cosine()),
        84,
    ),
    *healthy(
        "accumulate-8-batch-4",
        bases.POINTER_POINTING.but(batch=4, accumulate=8, optimizer=adam(5e-3), epochs=6),
        84,
    ),
    *healthy("averaged", bases.SQUEEZED_MNIST.but(loop=averaged_loop), 84),
    *healthy("augmented", second.INCEPTION_STRIPES.but(tamper=augmented(0.4), epochs=7), 84),
]

_MOLECULES = bases.GRAPH_MOLECULES.but(epochs=6)

TUNED: list[Recipe] = [
    *healthy(
        "resumed",
        bases.GRAPH_MOLECULES.but(prepare=resumed(_MOLECULES, 85), optimizer=adam(1e-3), epochs=6),
        85,
    ),
    *healthy(
        "frozen-but-for-the-head",
        bases.KERNELS_DIGITS.but(
            prepare=lambda model: (
                resumed(bases.KERNELS_DIGITS.but(epochs=3), 87)(model),
                frozen("0.", "1.", "2.")(model),
            ),
            source=bases.KERNELS_DIGITS.data(changes.input_noise(0.2)),
            optimizer=adam(2e-3),
        ),
        87,
    ),
]

ENDS: list[Recipe] = [
    *healthy(
        "100-steps",
        bases.TREES_REGIONS.but(batch=48, epochs=5, optimizer=adam(5e-2), scheduler=cosine()),
        88,
    ),
    *healthy(
        "120-steps",
        bases.PROTOTYPES_DIGITS.but(batch=64, epochs=6, optimizer=adam(6e-3), scheduler=cosine()),
        88,
    ),
    *healthy(
        "2000-steps",
        bases.SINES_TERRAIN.but(epochs=50, optimizer=adam(3e-4), scheduler=cosine()),
        88,
    ),
    *healthy(
        "one-epoch",
        second.HIGHWAY_SWISS.but(
            source=second.HIGHWAY_SWISS.source.sized(12800),
            epochs=1,
            optimizer=adamw(5e-3),
            scheduler=cosine(),
        ),
        89,
    ),
    *healthy("almost-zero", bases.POINTER_POINTING.but(optimizer=adam(5e-3), epochs=14), 89),
    *healthy(
        "begins-high",
        bases.CROSSED_FOREST.but(
            prepare=scaled_weights(10.0, "head"), optimizer=adam(5e-3), scheduler=cosine()
        ),
        89,
    ),
    *healthy(
        "6-wide",
        second.HIGHWAY_SWISS.but(
            model=second.HIGHWAY_SWISS.remodel(width=6), optimizer=adam(1e-2), scheduler=cosine()
        ),
        89,
    ),
    *healthy(
        "12-deep",
        bases.GATED_GRADES.but(
            model=bases.GATED_GRADES.remodel(depth=12, width=16), epochs=5, scheduler=cosine()
        ),
        89,
    ),
]

RECIPES = CLIPPED + TUNED + ENDS
