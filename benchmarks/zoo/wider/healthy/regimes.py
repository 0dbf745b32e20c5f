"""Clipping that always acts, averages, fine-tuning, augmentation, curricula, odd batches."""

from __future__ import annotations

from ... import bases as first
from ...data import changes
from ...faults import frozen
from ...optimizers import adam, adamw, cosine, layerwise, sgd
from ...recipe import Recipe, healthy
from .. import bases
from ..loops import augmented, averaged_loop, easy_first, resumed

CLIPPED: list[Recipe] = [
    *healthy("clip-0.01", first.FC_DIGITS.but(clip=0.01, optimizer=adam(3e-3), epochs=8), 9),
    *healthy(
        "clip-0.05-momentum", first.CNN_DIGITS.but(clip=0.05, optimizer=sgd(0.5, 0.9), epochs=9), 4
    ),
    *healthy(
        "accumulate-8-batch-2",
        first.FC_FRIEDMAN.but(batch=2, accumulate=8, optimizer=adam(5e-3), epochs=4),
        16,
    ),
    *healthy("averaged", first.CNN_DIGITS.but(loop=averaged_loop, epochs=8), 5),
    *healthy(
        "augmented",
        first.CNN_MNIST.but(tamper=augmented(0.4), epochs=9, scheduler=cosine()),
        13,
    ),
    *healthy("easy-first", first.FC_BLOBS.but(tamper=easy_first(100), optimizer=sgd(0.1)), 2),
    *healthy(
        "easy-first",
        first.FC_DIGITS.but(tamper=easy_first(120), optimizer=adam(2e-3), epochs=10),
        1,
    ),
]

_BEFORE = bases.PIECES_MNIST.but(epochs=5)

TUNED: list[Recipe] = [
    *healthy(
        "resumed", first.FC_DIGITS.but(prepare=resumed(first.FC_DIGITS, 2), optimizer=adam(5e-4)), 2
    ),
    *healthy(
        "resumed-on-noisier-data",
        first.CNN_DIGITS.but(
            source=first.CNN_DIGITS.data(changes.input_noise(0.5)),
            prepare=resumed(first.CNN_DIGITS, 6),
            epochs=6,
            optimizer=sgd(0.01, 0.9),
            scheduler=cosine(),
        ),
        6,
    ),
    *healthy(
        "resumed-language-model",
        first.RNN_CHARS.but(
            prepare=resumed(first.RNN_CHARS.but(epochs=4), 0),
            optimizer=adam(2e-3),
            scheduler=cosine(),
            report="loss",
            epochs=6,
        ),
        0,
    ),
    *healthy(
        "frozen-backbone",
        bases.PIECES_MNIST.but(
            prepare=lambda model: (resumed(_BEFORE, 1)(model), frozen("backbone.")(model)),
            source=bases.FLAT_MNIST.changed(changes.targets(lambda y: (y + 3) % 10)),
            optimizer=adam(5e-3),
        ),
        1,
    ),
    *healthy(
        "layerwise-rates",
        bases.PIECES_MNIST.but(
            prepare=resumed(_BEFORE, 2),
            source=bases.FLAT_MNIST.changed(changes.input_noise(0.3)),
            optimizer=layerwise(2e-3, 0.1),
            epochs=5,
        ),
        2,
    ),
]

TEXTS: list[Recipe] = [
    *healthy(
        "one-epoch",
        first.FC_FRIEDMAN.but(
            source=first.FC_FRIEDMAN.source.sized(12800),
            epochs=1,
            optimizer=adamw(5e-3),
            scheduler=cosine(),
        ),
        6,
    ),
    *healthy(
        "one-epoch",
        first.RNN_CHARS.but(
            source=first.RNN_CHARS.source.sized(9600), epochs=1, optimizer=adam(1e-2), report="loss"
        ),
        1,
    ),
    *healthy(
        "embedding-heavy",
        first.FC_REUTERS.but(
            model=first.FC_REUTERS.remodel(width=128, hidden=16, dropout=0.5),
            optimizer=adam(8e-3, weight_decay=1e-4),
            scheduler=cosine(),
        ),
        0,
    ),
]

RECIPES = CLIPPED + TUNED + TEXTS
