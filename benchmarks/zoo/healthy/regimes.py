"""Batches of all sizes, clipping, accumulation, half precision, many optimizers, noise."""

from __future__ import annotations

import torch

from .. import bases
from ..data import changes
from ..data.tables import blobs, circles, friedman
from ..faults import frozen
from ..optimizers import (
    adagrad,
    adam,
    adamw,
    cosine,
    layerwise,
    lbfgs,
    rmsprop,
    sgd,
    sparse_and_dense,
)
from ..recipe import Recipe, healthy
from ..special import closure_loop

_TINY = {"epochs": 10, "scheduler": cosine()}

BATCHES: list[Recipe] = [
    *healthy(
        "batch-2",
        bases.FC_CIRCLES.but(
            source=circles(116), batch=2, optimizer=sgd(0.2), report="nothing", **_TINY
        ),
        5,
        6,
    ),
    *healthy(
        "batch-4",
        bases.FC_FRIEDMAN.but(source=friedman(232), batch=4, optimizer=sgd(0.02, 0.5), **_TINY),
        4,
    ),
    *healthy(
        "batch-1",
        bases.FC_BLOBS.but(source=blobs(58), batch=1, optimizer=sgd(0.02), **_TINY),
        15,
    ),
    *healthy(
        "batch-4",
        bases.FC_EXCHANGE.but(source=bases.FC_EXCHANGE.source.sized(232), batch=4, **_TINY),
        14,
    ),
    *healthy("batch-256", bases.FC_DIGITS.but(batch=256, epochs=30, optimizer=adam(4e-3)), 5),
    *healthy("batch-512", bases.FC_MNIST.but(batch=512, epochs=30, optimizer=sgd(0.05, 0.9)), 15),
    *healthy("accumulate-4", bases.FC_DIGITS.but(batch=8, accumulate=4), 6),
    *healthy("accumulate-4", bases.CNN_DIGITS.but(batch=8, accumulate=4), 15),
]

PRECISION: list[Recipe] = [
    *healthy("clip-1", bases.RNN_EXCHANGE.but(clip=1.0, optimizer=sgd(0.1, 0.9)), 4),
    *healthy("clip-0.5", bases.RNN_CHARS.but(clip=0.5), 15),
    *healthy(
        "clip-1",
        bases.TRANSFORMER_REUTERS.but(clip=1.0, optimizer=adamw(4e-3), scheduler=cosine()),
        14,
    ),
    *healthy("bfloat16", bases.TRANSFORMER_DIGITS.but(autocast=torch.bfloat16), 5),
    *healthy("bfloat16", bases.CNN_MNIST.but(autocast=torch.bfloat16), 5),
    *healthy("bfloat16", bases.FC_MNIST.but(autocast=torch.bfloat16, scheduler=cosine()), 16),
    *healthy("bfloat16", bases.TRANSFORMER_EXCHANGE.but(autocast=torch.bfloat16), 15),
]

OPTIMIZERS: list[Recipe] = [
    *healthy("rmsprop", bases.FC_DIGITS.but(optimizer=rmsprop(1e-3)), 7),
    *healthy("adagrad", bases.CNN_DIGITS.but(optimizer=adagrad(0.03)), 16),
    *healthy(
        "nesterov",
        bases.FC_BLOBS.but(optimizer=sgd(0.01, 0.9, nesterov=True), report="loss"),
        16,
    ),
    *healthy("weight-decay", bases.FC_CIRCLES.but(optimizer=adamw(5e-3, weight_decay=0.1)), 7),
    *healthy("weight-decay", bases.FC_BLOBS.but(optimizer=sgd(0.05, weight_decay=1e-2)), 17),
    *healthy(
        "lbfgs",
        bases.FC_FRIEDMAN.but(
            optimizer=lbfgs(), loop=closure_loop, batch=160, epochs=25, report="loss"
        ),
        5,
    ),
    *healthy(
        "lbfgs",
        bases.FC_EXCHANGE.but(optimizer=lbfgs(), loop=closure_loop, batch=160, epochs=25),
        15,
    ),
    *healthy(
        "sparse-adam",
        bases.FC_IMDB.but(
            model=bases.FC_IMDB.remodel(sparse=True, dropout=0.5), optimizer=sparse_and_dense(3e-3)
        ),
        4,
    ),
    *healthy(
        "sparse-adam",
        bases.FC_REUTERS.but(
            model=bases.FC_REUTERS.remodel(sparse=True), optimizer=sparse_and_dense(7e-3)
        ),
        14,
    ),
    *healthy("layerwise-rates", bases.CNN_MNIST.but(optimizer=layerwise(5e-3, 0.7)), 6),
    *healthy("layerwise-rates", bases.CNN_DIGITS.but(optimizer=layerwise(5e-3, 0.7)), 17),
]

NOISE: list[Recipe] = [
    *healthy(
        "noisy-small-batches",
        bases.FC_CIRCLES.but(
            source=bases.FC_CIRCLES.data(changes.input_noise(0.12)), batch=16, epochs=14
        ),
        8,
    ),
    *healthy(
        "noisy-small-batches",
        bases.FC_BLOBS.but(
            source=bases.FC_BLOBS.data(changes.input_noise(0.3)),
            batch=16,
            epochs=14,
            optimizer=sgd(0.05),
        ),
        18,
    ),
]

_NORM_MNIST = bases.CNN_MNIST.but(model=bases.CNN_MNIST.remodel(norm=True, width=24))
_NORM_DIGITS = bases.CNN_DIGITS.but(model=bases.CNN_DIGITS.remodel(norm=True, width=24))

FROZEN: list[Recipe] = [
    *healthy("frozen-first-block", _NORM_MNIST.but(prepare=frozen("0.", "1.")), 7),
    *healthy(
        "frozen-first-layer",
        bases.FC_DIGITS.but(model=bases.FC_DIGITS.remodel(hidden=64), prepare=frozen("0.")),
        8,
    ),
    *healthy("frozen-embedding", bases.TRANSFORMER_DIGITS.but(prepare=frozen("embedding.")), 6),
    *healthy("frozen-first-block", _NORM_DIGITS.but(prepare=frozen("0.", "1.")), 18),
    *healthy(
        "frozen-first-layer",
        bases.FC_MNIST.but(
            model=bases.FC_MNIST.remodel(hidden=64),
            prepare=frozen("0."),
            optimizer=sgd(0.1, 0.9),
            scheduler=cosine(),
        ),
        17,
    ),
    *healthy("frozen-embedding", bases.TRANSFORMER_EXCHANGE.but(prepare=frozen("embedding.")), 16),
]

RECIPES = BATCHES + PRECISION + OPTIMIZERS + NOISE + FROZEN
