"""Batches of all sizes, clipping, accumulation, half precision, frozen layers, noise, scales."""

from __future__ import annotations

import torch

from ....data import changes
from ....data.more_points import circuit, pairs
from ....faults import frozen
from ....optimizers import adam, cosine, rmsprop, sgd
from ....recipe import Recipe, healthy
from .. import bases

BATCHES: list[Recipe] = [
    *healthy(
        "batch-1",
        bases.MAXOUT_CIRCUIT.but(
            source=circuit(160), batch=1, epochs=5, optimizer=sgd(0.01), scheduler=cosine()
        ),
        53,
    ),
    *healthy(
        "batch-4",
        bases.TOWERS_PAIRS.but(source=pairs(640), batch=4, epochs=5, scheduler=cosine()),
        53,
    ),
    *healthy(
        "batch-240",
        bases.HIGHWAY_SWISS.but(batch=240, epochs=40, optimizer=adam(1e-2), scheduler=cosine()),
        53,
    ),
    *healthy("accumulate-4", bases.LENET_DIGITS.but(batch=8, accumulate=4, scheduler=cosine()), 53),
]

PRECISION: list[Recipe] = [
    *healthy("clip-0.5", bases.LSTM_CRITICS.but(clip=0.5, scheduler=cosine()), 54),
    *healthy("clip-0.1", bases.HIGHWAY_SWISS.but(clip=0.1, optimizer=sgd(0.2, 0.9)), 54),
    *healthy("bfloat16", bases.INCEPTION_STRIPES.but(autocast=torch.bfloat16), 54),
]

OTHERS: list[Recipe] = [
    *healthy("rmsprop", bases.SETS_SPREAD.but(optimizer=rmsprop(2e-3), scheduler=cosine()), 55),
    *healthy("frozen-first-layer", bases.LENET_DIGITS.but(prepare=frozen("0.")), 55),
    *healthy(
        "batch-norm",
        bases.MAXOUT_HASTIE.but(
            model=bases.MAXOUT_HASTIE.remodel(norm=True), scheduler=cosine(), epochs=8
        ),
        55,
    ),
    *healthy(
        "noisy-small-batches",
        bases.HIGHWAY_SHELLS.but(
            source=bases.HIGHWAY_SHELLS.data(changes.input_noise(0.15)),
            batch=8,
            epochs=9,
            optimizer=sgd(0.15),
            scheduler=cosine(),
        ),
        56,
    ),
    *healthy(
        "targets-x50",
        bases.HIGHWAY_SWISS.but(
            source=bases.HIGHWAY_SWISS.data(changes.target_scaled(50.0, 30.0)),
            optimizer=adam(2e-2),
            scheduler=cosine(),
        ),
        57,
    ),
    *healthy(
        "inputs-0-1",
        bases.LENET_DIGITS.but(
            source=bases.LENET_DIGITS.data(changes.zero_to(1.0)), optimizer=adam(5e-3)
        ),
        57,
    ),
]

RECIPES = BATCHES + PRECISION + OTHERS
