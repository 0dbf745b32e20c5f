"""Batches of all sizes, clipping, accumulation, half precision, many optimizers, noise."""

from __future__ import annotations

import torch

from ...data import changes
from ...data.points import housing, moons
from ...data.sequences import sines
from ...faults import frozen
from ...optimizers import (
    adagrad,
    adam,
    adamw,
    cosine,
    lbfgs,
    nadam,
    rmsprop,
    sgd,
    sparse_and_dense,
)
from ...recipe import Recipe, healthy
from ...special import closure_loop
from .. import bases

_TINY = {"epochs": 5, "scheduler": cosine()}

BATCHES: list[Recipe] = [
    *healthy(
        "batch-1",
        bases.FUNNEL_MOONS.but(source=moons(120), batch=1, optimizer=sgd(0.03), **_TINY),
        26,
    ),
    *healthy(
        "batch-2",
        bases.FUNNEL_HOUSING.but(
            source=housing(240), batch=2, optimizer=sgd(0.02), report="nothing", **_TINY
        ),
        26,
    ),
    *healthy("batch-4", bases.TCN_SINES.but(source=sines(480), batch=4, **_TINY), 26),
    *healthy("batch-256", bases.FUNNEL_FOREST.but(batch=256, epochs=24, optimizer=adam(4e-3)), 26),
    *healthy("accumulate-4", bases.VGG_MNIST.but(batch=8, accumulate=4, scheduler=cosine()), 26),
]

PRECISION: list[Recipe] = [
    *healthy("clip-0.5", bases.GRU_MOBY.but(clip=0.5), 27),
    *healthy("clip-0.1", bases.TCN_EXCHANGE.but(clip=0.1, optimizer=sgd(0.2, 0.9)), 27),
    *healthy("bfloat16", bases.VIT_STRIPES.but(autocast=torch.bfloat16, scheduler=cosine()), 27),
    *healthy("bfloat16", bases.VGG_SHAPES.but(autocast=torch.bfloat16), 27),
]

OPTIMIZERS: list[Recipe] = [
    *healthy("rmsprop", bases.FUNNEL_FOREST.but(optimizer=rmsprop(1e-3)), 28),
    *healthy("adagrad", bases.SEPARABLE_STRIPES.but(optimizer=adagrad(0.02)), 28),
    *healthy("nadam", bases.BOTH_MAJORITY.but(optimizer=nadam(5e-3)), 28),
    *healthy("weight-decay", bases.MIXER_DIGITS.but(optimizer=adamw(3e-3, weight_decay=0.2)), 28),
    *healthy(
        "lbfgs",
        bases.WIDE_WAVE.but(
            optimizer=lbfgs(), loop=closure_loop, batch=160, epochs=25, report="loss"
        ),
        28,
    ),
    *healthy(
        "sparse-adam",
        bases.FACTORS_SHOP.but(
            model=bases.FACTORS_SHOP.remodel(sparse=True), optimizer=sparse_and_dense(5e-3)
        ),
        28,
    ),
]

NOISE: list[Recipe] = [
    *healthy(
        "noisy-small-batches",
        bases.FUNNEL_MOONS.but(
            source=bases.FUNNEL_MOONS.data(changes.input_noise(0.2)),
            batch=8,
            epochs=7,
            optimizer=sgd(0.15),
            scheduler=cosine(),
        ),
        29,
    ),
    *healthy(
        "noisy-labels",
        bases.DENSE_DIGITS.but(source=bases.DENSE_DIGITS.data(changes.wrong_labels(0.1)), epochs=6),
        29,
    ),
]

_NORM_MNIST = bases.VGG_MNIST.but(model=bases.VGG_MNIST.remodel(norm=True))

FROZEN: list[Recipe] = [
    *healthy(
        "frozen-first-block", _NORM_MNIST.but(prepare=frozen("0.", "1."), scheduler=cosine()), 29
    ),
    *healthy(
        "frozen-patches", bases.VIT_STRIPES.but(prepare=frozen("patches."), scheduler=cosine()), 29
    ),
    *healthy(
        "frozen-embedding",
        bases.TEXT_CNN_REUTERS.but(
            prepare=frozen("embedding."), optimizer=adam(5e-3), scheduler=cosine()
        ),
        29,
    ),
]

RECIPES = BATCHES + PRECISION + OPTIMIZERS + NOISE + FROZEN
