"""Networks of other forms: graphs, writers, experts, the very deep, wide and small."""

from __future__ import annotations

from functools import partial

from torch import nn

from ... import bases as first
from ...models import mlp
from ...optimizers import adam, adamw, cosine, sgd
from ...recipe import Recipe, healthy
from .. import bases
from ..networks import SelfNormalising, constrained, deep_residual, dropped_blocks

FORMS: list[Recipe] = [
    *healthy("plain", bases.GRAPH_GRAPHS, 0),
    *healthy("batch-8", bases.GRAPH_GRAPHS.but(batch=8, optimizer=adam(1e-3), epochs=5), 1),
    *healthy("plain", bases.WRITER_TURNING, 0),
    *healthy("plain", bases.HOURGLASS_MASKS, 0),
    *healthy("plain", bases.CRNN_DIGITS, 0),
    *healthy("ctc", bases.LISTENER_UTTERANCES, 0),
    *healthy("plain", bases.EXPERTS_FRIEDMAN, 0),
    *healthy("cosine", bases.AFFINITY_RATINGS.but(scheduler=cosine()), 0),
    *healthy("ignored-padding", bases.RNN_TAGGING, 0),
]

DEPTHS: list[Recipe] = [
    *healthy(
        "residual24",
        first.FC_DIGITS.but(model=partial(deep_residual, 64, 10), optimizer=adam(1e-3), epochs=6),
        14,
    ),
    *healthy(
        "stochastic-depth",
        first.FC_DIGITS.but(model=partial(dropped_blocks, 64, 10), optimizer=adamw(2e-3), epochs=8),
        15,
    ),
    *healthy(
        "selu8",
        first.FC_DIGITS.but(model=partial(SelfNormalising, 64, 10), optimizer=adam(1e-3), epochs=8),
        16,
    ),
    *healthy(
        "spectral-norm",
        first.FC_CIRCLES.but(
            model=constrained(partial(mlp, 2, 2, hidden=48)), optimizer=adam(1e-2), epochs=16
        ),
        10,
    ),
    *healthy(
        "weight-norm",
        first.FC_FRIEDMAN.but(
            model=constrained(partial(mlp, 10, 1), "weight"), scheduler=cosine(), epochs=12
        ),
        13,
    ),
    *healthy(
        "512-wide",
        first.FC_DIGITS.but(
            model=first.FC_DIGITS.remodel(hidden=512), optimizer=sgd(0.05, 0.9), epochs=6
        ),
        17,
    ),
    *healthy(
        "8-wide",
        first.FC_DIGITS.but(
            model=first.FC_DIGITS.remodel(hidden=8, depth=1), optimizer=adam(1e-2), epochs=12
        ),
        18,
    ),
    *healthy(
        "4-wide-tanh",
        first.FC_CIRCLES.but(
            model=first.FC_CIRCLES.remodel(hidden=4, depth=1, activation=nn.Tanh),
            optimizer=adam(3e-2),
            scheduler=cosine(),
        ),
        11,
    ),
    *healthy("linear", bases.LINEAR_DIGITS, 0),
    *healthy(
        "elu-dropout-0.6",
        first.FC_DIGITS.but(
            model=first.FC_DIGITS.remodel(hidden=128, dropout=0.6, activation=nn.ELU), epochs=8
        ),
        19,
    ),
    *healthy(
        "batch-norm-batch-4",
        first.FC_DIGITS.but(
            source=bases.FLAT_DIGITS.sized(800),
            model=first.FC_DIGITS.remodel(norm=nn.BatchNorm1d),
            batch=4,
            epochs=5,
            scheduler=cosine(),
        ),
        5,
    ),
    *healthy(
        "instance-of-softsign",
        first.CNN_EXCHANGE.but(model=first.CNN_EXCHANGE.remodel(activation=nn.Softsign)),
        6,
    ),
]

RECIPES = FORMS + DEPTHS
