"""Deep, normalised, residual, recurrent and half-silent networks that do learn."""

from __future__ import annotations

from functools import partial

from torch import nn

from .. import bases
from ..data.tables import CURRENCIES
from ..data.texts import TOPICS, WORDS
from ..faults import hidden_biases
from ..models import Recurrent, residual_mlp
from ..optimizers import adam, cosine, sgd
from ..plan import Plan
from ..recipe import Recipe, healthy


def _remodelled(plan: Plan, form: str, *seeds: int, **knobs: object) -> list[Recipe]:
    return healthy(form, plan.but(model=plan.remodel(**knobs)), *seeds)


FEED_FORWARD: list[Recipe] = [
    *_remodelled(bases.FC_DIGITS, "batch-norm", 9, norm=nn.BatchNorm1d),
    *_remodelled(bases.FC_MNIST, "layer-norm", 18, norm=nn.LayerNorm),
    *_remodelled(bases.CNN_MNIST, "batch-norm", 8, norm=True),
    *_remodelled(
        bases.CNN_CIFAR10.but(scheduler=cosine(), optimizer=adam(2e-3)), "batch-norm", 14, norm=True
    ),
    *_remodelled(bases.FC_DIGITS, "tanh6", 0, depth=6, activation=nn.Tanh),
    *healthy(
        "tanh8",
        bases.FC_MNIST.but(
            model=bases.FC_MNIST.remodel(depth=8, activation=nn.Tanh), optimizer=adam(2e-3)
        ),
        19,
    ),
    *healthy(
        "sigmoid3",
        bases.FC_DIGITS.but(
            model=bases.FC_DIGITS.remodel(depth=3, activation=nn.Sigmoid), optimizer=adam(1e-2)
        ),
        1,
    ),
    *healthy(
        "sigmoid3",
        bases.FC_BLOBS.but(
            model=bases.FC_BLOBS.remodel(depth=3, activation=nn.Sigmoid), optimizer=adam(1e-2)
        ),
        10,
    ),
    *healthy(
        "mostly-silent-relu",
        bases.FC_DIGITS.but(
            model=bases.FC_DIGITS.remodel(hidden=96, depth=1), prepare=hidden_biases(-0.8)
        ),
        2,
    ),
    *healthy(
        "mostly-silent-relu",
        bases.FC_MNIST.but(
            model=bases.FC_MNIST.remodel(hidden=96, depth=1), prepare=hidden_biases(-0.8)
        ),
        10,
    ),
    *_remodelled(bases.FC_DIGITS, "half-dropped", 3, hidden=64, dropout=0.5),
    *_remodelled(bases.CNN_DIGITS, "half-dropped", 19, dropout=0.5),
    *healthy("residual6", bases.FC_DIGITS.but(model=partial(residual_mlp, 64, 10, blocks=6)), 4),
    *healthy(
        "residual4",
        bases.FC_EXCHANGE.but(model=partial(residual_mlp, 128, CURRENCIES), optimizer=adam(1e-3)),
        16,
    ),
    *_remodelled(bases.CNN_EXCHANGE, "batch-norm", 4, norm=True),
    *_remodelled(bases.CNN_EXCHANGE, "leaky-deep", 5, blocks=4, activation=nn.LeakyReLU),
    *_remodelled(bases.CNN_DIGITS, "gelu", 10, activation=nn.GELU),
    *_remodelled(bases.FC_FRIEDMAN, "silu", 6, activation=nn.SiLU),
]

SEQUENCES: list[Recipe] = [
    *healthy("lstm", bases.RNN_DIGITS.but(model=partial(Recurrent, nn.LSTM, 8, 10)), 4),
    *healthy(
        "lstm2",
        bases.RNN_EXCHANGE.but(
            model=partial(Recurrent, nn.LSTM, CURRENCIES, CURRENCIES, layers=2), report="nothing"
        ),
        5,
    ),
    *healthy("lstm", bases.RNN_MNIST.but(model=partial(Recurrent, nn.LSTM, 14, 10)), 14),
    *healthy(
        "plain-rnn",
        bases.RNN_REUTERS.but(
            model=partial(Recurrent, nn.RNN, WORDS, TOPICS, words=True), scheduler=cosine()
        ),
        14,
    ),
    *_remodelled(bases.RNN_CHARS, "small", 16, hidden=32),
    *_remodelled(bases.TRANSFORMER_DIGITS, "post-norm", 7, norm_first=False),
    *_remodelled(bases.TRANSFORMER_DIGITS, "dropout", 8, dropout=0.1),
    *_remodelled(bases.TRANSFORMER_EXCHANGE, "post-norm", 17, norm_first=False),
    *healthy(
        "sgd",
        bases.RNN_DIGITS.but(optimizer=sgd(0.03, 0.9), clip=1.0),
        5,
    ),
]

RECIPES = FEED_FORWARD + SEQUENCES
