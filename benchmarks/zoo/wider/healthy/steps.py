"""Other ways to step: optimizers, rates, clipping, averages, large batches, what was learned."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn, optim

from ... import bases as first
from ...data import changes
from ...faults import frozen
from ...models import mlp
from ...optimizers import adam, adamw, cosine, one_cycle, other, restarts, sgd, stairs, warmup
from ...recipe import Recipe, healthy
from ...special import closure_loop
from .. import bases
from ..assembled import Bottlenecks, Recomputed, adapted
from ..loops import resumed
from ..stepping import (
    Stepping,
    clipped_by_value,
    limited_norms,
    lower_at_rest,
    mean_of_weights,
    noisy_gradients,
    sharpness_aware,
    stopped_early,
    thawed,
    twice,
)

KINDS: list[Recipe] = [
    *healthy("adafactor", first.FC_DIGITS.but(optimizer=other(optim.Adafactor, 2e-2), epochs=8), 0),
    *healthy(
        "rmsprop-momentum",
        first.FC_DIGITS.but(optimizer=other(optim.RMSprop, 3e-4, momentum=0.9), epochs=8),
        14,
    ),
    *healthy(
        "adam-0.5-0.9", first.CNN_MNIST.but(optimizer=adam(2e-3, betas=(0.5, 0.9)), epochs=9), 1
    ),
    *healthy("adam-epsilon-0.01", first.FC_DIGITS.but(optimizer=adam(1e-2, eps=1e-2), epochs=8), 1),
    *healthy("dampened", first.FC_DIGITS.but(optimizer=sgd(0.1, 0.9, dampening=0.5), epochs=8), 2),
    *healthy(
        "nesterov-0.98",
        first.CNN_DIGITS.but(optimizer=sgd(3e-3, 0.98, nesterov=True), epochs=10),
        11,
    ),
    *healthy("no-momentum", first.CNN_DIGITS.but(optimizer=sgd(0.2), epochs=14), 12),
    *healthy(
        "adagrad-words",
        first.FC_REUTERS.but(
            optimizer=other(optim.Adagrad, 5e-2),
            epochs=8,
            model=first.FC_REUTERS.remodel(dropout=0.4),
        ),
        2,
    ),
    *healthy(
        "newton-full-batch",
        first.FC_FRIEDMAN.but(
            optimizer=other(
                optim.LBFGS, 1.0, max_iter=2, history_size=5, line_search_fn="strong_wolfe"
            ),
            model=first.FC_FRIEDMAN.remodel(hidden=16),
            loop=closure_loop,
            batch=960,
            epochs=50,
        ),
        5,
    ),
    *healthy(
        "weight-decay-0.02-sgd",
        first.FC_DIGITS.but(optimizer=sgd(0.02, 0.9, weight_decay=0.02), epochs=10),
        3,
    ),
    *healthy(
        "weight-decay-0.3",
        first.CNN_MNIST.but(optimizer=adamw(3e-3, weight_decay=0.3), scheduler=cosine(), epochs=8),
        2,
    ),
]

RATES: list[Recipe] = [
    *healthy("warm-up-half", first.FC_DIGITS.but(scheduler=warmup(0.5), epochs=10), 4),
    *healthy(
        "warm-up-whole",
        first.TRANSFORMER_DIGITS.but(scheduler=warmup(0.9), optimizer=adamw(3e-3), epochs=10),
        1,
    ),
    *healthy("restarts-sgd", first.FC_MNIST.but(scheduler=restarts(100)), 1),
    *healthy(
        "one-cycle-sgd",
        first.CNN_DIGITS.but(optimizer=sgd(0.01, 0.9), scheduler=one_cycle(0.06), epochs=8),
        13,
    ),
    *healthy(
        "stairs-at-rest",
        first.FC_DIGITS.but(
            loop=lower_at_rest,
            optimizer=adam(1e-2),
            epochs=9,
            model=first.FC_DIGITS.remodel(dropout=0.2),
        ),
        13,
    ),
    *healthy("stairs-0.1", first.RNN_EXCHANGE.but(scheduler=stairs(0.1, 2), epochs=10), 8),
    *healthy("large-batch", first.FC_DIGITS.but(batch=640, optimizer=adam(1e-2), epochs=16), 5),
    *healthy("large-batch", first.FC_CIRCLES.but(batch=320, optimizer=adam(2e-2), epochs=30), 3),
    *healthy(
        "batch-1",
        bases.LINEAR_DIGITS.but(
            source=bases.FLAT_DIGITS.sized(480), batch=1, optimizer=sgd(5e-3), epochs=3
        ),
        2,
    ),
    *healthy(
        "batch-1-adam",
        first.FC_BLOBS.but(
            source=first.FC_BLOBS.source.sized(480), batch=1, optimizer=adam(3e-4), epochs=4
        ),
        6,
    ),
    *healthy(
        "accumulate-16",
        first.CNN_MNIST.but(batch=4, accumulate=16, optimizer=adam(6e-3), epochs=7),
        3,
    ),
]

HANDS: list[Recipe] = [
    *healthy(
        "clip-by-value",
        first.RNN_CHARS.but(loop=clipped_by_value(0.01), report="loss", epochs=6),
        4,
    ),
    *healthy(
        "clip-by-value-sgd",
        first.FC_DIGITS.but(
            loop=clipped_by_value(0.002), optimizer=sgd(0.3, 0.9), scheduler=cosine(), epochs=5
        ),
        6,
    ),
    *healthy("noise-on-gradients", first.CNN_DIGITS.but(loop=noisy_gradients(0.03), epochs=8), 14),
    *healthy(
        "limited-norms",
        first.FC_MNIST.but(loop=limited_norms(1.0), optimizer=sgd(0.05, 0.9), epochs=6),
        2,
    ),
    *healthy(
        "two-passes",
        first.FC_DIGITS.but(
            model=first.FC_DIGITS.remodel(dropout=0.3, hidden=64),
            loop=Stepping(objective=twice),
            epochs=8,
        ),
        7,
    ),
    *healthy(
        "sharpness-aware",
        first.FC_DIGITS.but(
            loop=sharpness_aware(0.05), optimizer=sgd(0.05, 0.9), scheduler=cosine(), epochs=9
        ),
        8,
    ),
    *healthy(
        "mean-of-weights",
        first.CNN_DIGITS.but(loop=mean_of_weights(0.4), optimizer=sgd(0.02, 0.9), epochs=9),
        15,
    ),
    *healthy(
        "recomputed",
        first.FC_DIGITS.but(model=partial(Recomputed, 64, 10), optimizer=adamw(1e-3), epochs=8),
        9,
    ),
    *healthy(
        "few-samples-stopped",
        first.FC_BLOBS.but(
            source=first.FC_BLOBS.source.sized(64),
            batch=8,
            epochs=30,
            model=first.FC_BLOBS.remodel(hidden=8, depth=1),
            optimizer=adam(5e-3),
            loop=stopped_early(2),
        ),
        7,
    ),
    *healthy(
        "few-samples-stopped",
        first.FC_DIGITS.but(
            source=bases.FLAT_DIGITS.sized(240),
            batch=16,
            epochs=30,
            loop=stopped_early(2),
            model=first.FC_DIGITS.remodel(dropout=0.3),
        ),
        3,
    ),
]

_BEFORE = bases.PIECES_MNIST.but(epochs=5)
_LEARNED = first.FC_DIGITS.but(epochs=6)
_TURNED = changes.targets(lambda y: (y + 1) % 10)


def _trained(seed: int) -> nn.Sequential:
    """A network that has learned the digits."""
    model = mlp(64, 10)
    resumed(_LEARNED, seed)(model)
    return model


RELEARNED: list[Recipe] = [
    *healthy(
        "low-rank-adapters",
        first.FC_DIGITS.but(
            source=first.FC_DIGITS.data(_TURNED),
            model=lambda: adapted(_trained(1)),
            optimizer=adam(5e-3),
        ),
        10,
    ),
    *healthy(
        "bottlenecks",
        first.FC_DIGITS.but(
            model=partial(Bottlenecks, 64, 10), prepare=frozen("layers."), optimizer=adam(3e-3)
        ),
        11,
    ),
    *healthy(
        "thawed",
        bases.PIECES_MNIST.but(
            prepare=resumed(_BEFORE, 3),
            source=bases.FLAT_MNIST.changed(_TURNED),
            optimizer=adam(3e-3),
            loop=thawed("backbone.", at=3),
            epochs=5,
        ),
        3,
    ),
    *healthy(
        "low-rate-noisier",
        first.CNN_MNIST.but(
            source=first.CNN_MNIST.data(changes.input_noise(0.7)),
            prepare=resumed(first.CNN_MNIST.but(epochs=6), 4),
            optimizer=adam(3e-4),
            epochs=6,
        ),
        4,
    ),
    *healthy(
        "low-rate-darker",
        first.FC_DIGITS.but(
            source=first.FC_DIGITS.data(changes.scaled(0.5, 0.5)),
            prepare=resumed(_LEARNED, 12),
            optimizer=sgd(2e-3, 0.9),
            epochs=8,
        ),
        12,
    ),
    *healthy(
        "last-layer-only",
        first.FC_DIGITS.but(
            source=first.FC_DIGITS.data(_TURNED),
            prepare=lambda model: (resumed(_LEARNED, 5)(model), frozen("0.", "2.")(model)),
            optimizer=sgd(0.01, 0.9),
            epochs=5,
        ),
        18,
    ),
    *healthy(
        "bfloat16-large-batch",
        first.CNN_DIGITS.but(
            autocast=torch.bfloat16, batch=128, optimizer=adamw(1e-2), scheduler=cosine(), epochs=16
        ),
        16,
    ),
]

RECIPES = KINDS + RATES + HANDS + RELEARNED
