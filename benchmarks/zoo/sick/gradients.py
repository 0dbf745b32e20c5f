"""Gradients that vanish, explode or jump."""

from __future__ import annotations

from functools import partial

from torch import nn

from .. import bases
from ..data import changes
from ..data.tables import CURRENCIES
from ..faults import scaled_weights, spiked_inputs, spiked_targets
from ..models import Recurrent, residual_mlp
from ..optimizers import adam, rmsprop, sgd
from ..recipe import Recipe, sick

_CIRCLES = bases.FC_CIRCLES
_DIGITS_SGD = bases.FC_DIGITS.but(optimizer=sgd(0.1, 0.9))
_MNIST_CNN_SGD = bases.CNN_MNIST.but(optimizer=sgd(0.05, 0.9))
_EXCHANGE_STACK = bases.RNN_EXCHANGE.but(
    model=partial(Recurrent, nn.RNN, CURRENCIES, CURRENCIES, layers=2), optimizer=sgd(0.1)
)
_ROWS_STACK = bases.RNN_MNIST.but(
    model=partial(Recurrent, nn.RNN, 14, 10, layers=2), optimizer=sgd(0.1)
)

VANISHING: list[Recipe] = [
    *sick(
        "vanishing-gradient",
        "sigmoid20-sgd",
        _CIRCLES,
        (0, 1),
        model=_CIRCLES.remodel(depth=20, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid10-momentum",
        _DIGITS_SGD,
        2,
        model=_DIGITS_SGD.remodel(depth=10, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid7-momentum",
        _MNIST_CNN_SGD,
        0,
        model=_MNIST_CNN_SGD.remodel(blocks=7, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "stacked7-small-weights",
        _EXCHANGE_STACK,
        1,
        accepted=("poor-initialization",),
        model=_EXCHANGE_STACK.remodel(layers=7),
        prepare=scaled_weights(0.25, "body"),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid15-momentum",
        bases.FC_BLOBS,
        (10, 11),
        model=bases.FC_BLOBS.remodel(depth=15, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "tanh25-small-weights",
        bases.FC_MNIST,
        12,
        accepted=("poor-initialization",),
        model=bases.FC_MNIST.remodel(depth=25, activation=nn.Tanh),
        prepare=scaled_weights(0.6),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid8-momentum",
        bases.CNN_DIGITS,
        10,
        model=bases.CNN_DIGITS.remodel(blocks=8, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "stacked6-small-weights",
        _ROWS_STACK,
        11,
        accepted=("poor-initialization",),
        model=_ROWS_STACK.remodel(layers=6),
        prepare=scaled_weights(0.25, "body"),
    ),
]

_RELU_RNN = bases.RNN_EXCHANGE.but(
    model=partial(Recurrent, partial(nn.RNN, nonlinearity="relu"), CURRENCIES, CURRENCIES),
    optimizer=sgd(0.02),
)
_RELU_ROWS = bases.RNN_MNIST.but(
    model=partial(Recurrent, partial(nn.RNN, nonlinearity="relu"), 14, 10), optimizer=sgd(0.05)
)
_DIGITS_RESIDUAL = bases.FC_DIGITS.but(
    model=partial(residual_mlp, 64, 10, blocks=8), optimizer=sgd(0.05)
)
_MNIST_RESIDUAL = bases.FC_MNIST.but(
    model=partial(residual_mlp, 196, 10, blocks=8), optimizer=sgd(0.05)
)
_FRIEDMAN_DEEP = bases.FC_FRIEDMAN.but(
    model=bases.FC_FRIEDMAN.remodel(depth=8), optimizer=adam(2e-3)
)

EXPLODING: list[Recipe] = [
    *sick(
        "exploding-gradient",
        "relu-rnn-large-recurrence-sgd",
        _RELU_RNN,
        0,
        accepted=("poor-initialization", "non-finite"),
        prepare=scaled_weights(3.0, "weight_hh"),
    ),
    *sick(
        "exploding-gradient",
        "relu-rnn-large-recurrence-adam",
        _RELU_RNN.but(optimizer=adam(2e-3)),
        1,
        accepted=("poor-initialization",),
        prepare=scaled_weights(4.0, "weight_hh"),
    ),
    *sick(
        "exploding-gradient",
        "residual8-scale4-no-norm",
        _DIGITS_RESIDUAL,
        2,
        accepted=("loss-explosion",),
        model=_DIGITS_RESIDUAL.remodel(scale=4.0, norm=False),
        clip=100.0,
    ),
    *sick(
        "exploding-gradient",
        "relu8-weights-x4",
        _FRIEDMAN_DEEP,
        0,
        accepted=("poor-initialization",),
        prepare=scaled_weights(4.0),
    ),
    *sick(
        "exploding-gradient",
        "relu-rnn-large-recurrence-adam",
        _RELU_ROWS.but(optimizer=adam(2e-3)),
        (10, 11),
        accepted=("poor-initialization",),
        prepare=scaled_weights(5.0, "weight_hh"),
    ),
    *sick(
        "exploding-gradient",
        "residual8-scale5-no-norm",
        _MNIST_RESIDUAL,
        12,
        accepted=("loss-explosion", "poor-initialization"),
        model=_MNIST_RESIDUAL.remodel(scale=5.0, norm=False),
        clip=100.0,
    ),
    *sick(
        "exploding-gradient",
        "conv6-weights-x5",
        bases.CNN_CIFAR10,
        10,
        accepted=("poor-initialization",),
        model=bases.CNN_CIFAR10.remodel(blocks=6),
        prepare=scaled_weights(5.0),
    ),
]

_FRIEDMAN_SGD = bases.FC_FRIEDMAN.but(optimizer=sgd(0.05))
_EXCHANGE_SGD = bases.FC_EXCHANGE.but(optimizer=sgd(0.03, 0.5))
_DATA = ("abnormal-data",)

UNSTABLE: list[Recipe] = [
    *sick(
        "gradient-instability",
        "heavy-tailed-targets",
        _FRIEDMAN_SGD,
        (0, 1),
        accepted=_DATA,
        source=_FRIEDMAN_SGD.data(changes.heavy_tails(0.004, 60.0)),
    ),
    *sick(
        "gradient-instability",
        "spiked-targets",
        bases.RNN_EXCHANGE.but(optimizer=sgd(0.05)),
        2,
        accepted=_DATA,
        tamper=spiked_targets(45, 80.0),
    ),
    *sick(
        "gradient-instability",
        "spiked-inputs-momentum",
        bases.CNN_MNIST.but(optimizer=sgd(0.03, 0.9)),
        0,
        accepted=_DATA,
        tamper=spiked_inputs(37, 60.0),
    ),
    *sick(
        "gradient-instability",
        "heavy-tailed-targets",
        _EXCHANGE_SGD,
        (10, 11),
        accepted=_DATA,
        source=_EXCHANGE_SGD.data(changes.heavy_tails(0.004, 150.0)),
    ),
    *sick(
        "gradient-instability",
        "spiked-targets-rmsprop",
        bases.TRANSFORMER_EXCHANGE.but(optimizer=rmsprop(1e-3)),
        12,
        accepted=_DATA,
        tamper=spiked_targets(40, 200.0),
    ),
    *sick(
        "gradient-instability",
        "spiked-inputs-momentum",
        bases.CNN_CIFAR10.but(optimizer=sgd(0.03, 0.9)),
        10,
        accepted=_DATA,
        tamper=spiked_inputs(31, 60.0),
    ),
]

RECIPES = VANISHING + EXPLODING + UNSTABLE
