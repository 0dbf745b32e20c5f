"""Optimizers, schedules and settings that are less common and sound."""

from __future__ import annotations

import torch
from torch import nn, optim

from ... import bases as first
from ...optimizers import (
    adam,
    adamw,
    fading,
    inverse_root,
    one_cycle,
    other,
    restarts,
    sgd,
    straight,
    swings,
    warmup_cosine,
)
from ...recipe import Recipe, healthy
from .. import bases
from ..loops import two_optimizers

KINDS: list[Recipe] = [
    *healthy("radam", first.FC_DIGITS.but(optimizer=other(optim.RAdam, 5e-3), epochs=8), 19),
    *healthy("nadam", first.CNN_DIGITS.but(optimizer=other(optim.NAdam, 3e-3), epochs=8), 2),
    *healthy("adadelta", first.FC_DIGITS.but(optimizer=other(optim.Adadelta, 1.0), epochs=10), 11),
    *healthy(
        "adamax", first.RNN_DIGITS.but(optimizer=other(optim.Adamax, 1e-2), scheduler=straight()), 7
    ),
    *healthy("adagrad", first.FC_FRIEDMAN.but(optimizer=other(optim.Adagrad, 5e-2)), 14),
    *healthy(
        "rprop-full-batch",
        first.FC_FRIEDMAN.but(
            optimizer=other(optim.Rprop, 1e-3, step_sizes=(1e-6, 0.02)), batch=960, epochs=200
        ),
        12,
    ),
    *healthy(
        "rmsprop-centered",
        first.CNN_EXCHANGE.but(optimizer=other(optim.RMSprop, 5e-4, centered=True)),
        7,
    ),
    *healthy("asgd", first.FC_BLOBS.but(optimizer=other(optim.ASGD, 0.1), epochs=10), 1),
    *healthy("momentum-0.99", first.FC_DIGITS.but(optimizer=sgd(2e-3, 0.99), epochs=12), 12),
    *healthy("amsgrad", first.RNN_EXCHANGE.but(optimizer=adam(5e-3, amsgrad=True), epochs=10), 6),
    *healthy(
        "weight-decay-0.5",
        first.TRANSFORMER_DIGITS.but(optimizer=adamw(3e-3, weight_decay=0.5), epochs=8),
        10,
    ),
    *healthy(
        "two-optimizers",
        bases.PIECES_MNIST.but(optimizer=two_optimizers("head", 0.02, 1e-3)),
        0,
    ),
]

RATES: list[Recipe] = [
    *healthy(
        "warm-restarts",
        first.CNN_DIGITS.but(optimizer=adam(5e-3), scheduler=restarts(80)),
        3,
    ),
    *healthy(
        "warm-restarts-x2",
        first.FC_FRIEDMAN.but(optimizer=sgd(0.05, 0.9), scheduler=restarts(60, 2), epochs=14),
        15,
    ),
    *healthy("cyclic", first.FC_DIGITS.but(scheduler=swings(5e-4, 6e-3, 60)), 13),
    *healthy("fading", first.RNN_DIGITS.but(optimizer=adam(8e-3), scheduler=fading(0.02)), 8),
    *healthy("straight-down", first.FC_MNIST.but(optimizer=adam(3e-3), scheduler=straight()), 0),
    *healthy(
        "inverse-root",
        first.TRANSFORMER_CHARS.but(optimizer=adamw(1e-2), scheduler=inverse_root(80)),
        5,
    ),
    *healthy(
        "one-cycle-adam",
        first.TRANSFORMER_EXCHANGE.but(optimizer=adamw(1e-3), scheduler=one_cycle(5e-3), epochs=10),
        0,
    ),
    *healthy(
        "warm-up-cosine-clip-bf16",
        first.TRANSFORMER_DIGITS.but(
            optimizer=adamw(4e-3, betas=(0.9, 0.95), weight_decay=0.1),
            scheduler=warmup_cosine(0.15),
            clip=1.0,
            autocast=torch.bfloat16,
            loss=nn.CrossEntropyLoss(label_smoothing=0.05),
            epochs=8,
        ),
        11,
    ),
]

RECIPES = KINDS + RATES
