"""Rates that rise and fall by plan."""

from __future__ import annotations

from .. import bases
from ..optimizers import adam, adamw, cosine, one_cycle, sgd, stairs, warmup, warmup_cosine
from ..recipe import Recipe, healthy

RECIPES: list[Recipe] = [
    *healthy("warm-up", bases.TRANSFORMER_DIGITS.but(scheduler=warmup(0.2)), 4),
    *healthy("cosine", bases.CNN_MNIST.but(scheduler=cosine(), optimizer=adam(5e-3)), 4),
    *healthy(
        "warm-up-cosine",
        bases.TRANSFORMER_CHARS.but(scheduler=warmup_cosine(), optimizer=adamw(8e-3)),
        4,
    ),
    *healthy(
        "one-cycle",
        bases.FC_DIGITS.but(scheduler=one_cycle(0.1), optimizer=sgd(0.01, 0.9), hand_in_loss=True),
        4,
    ),
    *healthy("stairs", bases.FC_CIRCLES.but(scheduler=stairs(), optimizer=sgd(0.2, 0.9)), 5),
    *healthy("warm-up", bases.TRANSFORMER_EXCHANGE.but(scheduler=warmup(0.2)), 14),
    *healthy("cosine", bases.FC_MNIST.but(scheduler=cosine(), report="nothing"), 14),
    *healthy("warm-up-cosine", bases.RNN_CHARS.but(scheduler=warmup_cosine()), 14),
    *healthy(
        "one-cycle", bases.CNN_DIGITS.but(scheduler=one_cycle(0.1), optimizer=sgd(0.01, 0.9)), 14
    ),
    *healthy("stairs", bases.FC_BLOBS.but(scheduler=stairs()), 14),
]
