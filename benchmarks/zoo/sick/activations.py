"""Units that are dead or saturated, and outputs that do not fit the loss."""

from __future__ import annotations

from functools import partial

from torch import nn

from .. import bases
from ..data import changes
from ..faults import hidden_biases, scaled_weights
from ..losses import ClampedBinaryLoss, NextSymbolAfter
from ..optimizers import adam, adamw, rmsprop, sgd
from ..plan import Plan
from ..recipe import Recipe, sick

_START = ("poor-initialization",)
_RATE = ("learning-rate-too-high",)
_RAW = ("abnormal-data",)

DYING: list[Recipe] = [
    *sick(
        "dying-relu", "bias-6-sgd", bases.FC_CIRCLES, (0, 1), _START, prepare=hidden_biases(-6.0)
    ),
    *sick(
        "dying-relu",
        "rate-too-high-momentum",
        bases.FC_DIGITS.but(optimizer=sgd(0.1, 0.9)),
        2,
        _RATE,
        optimizer=sgd(4.0, 0.9),
    ),
    *sick("dying-relu", "bias-8-adam", bases.CNN_MNIST, 0, _START, prepare=hidden_biases(-8.0)),
    *sick(
        "dying-relu",
        "deep6-bias-3-adam",
        bases.FC_DIGITS,
        1,
        _START,
        model=bases.FC_DIGITS.remodel(depth=6),
        prepare=hidden_biases(-3.0),
    ),
    *sick(
        "dying-relu",
        "bias-30-momentum",
        bases.FC_MNIST,
        (10, 11),
        _START,
        prepare=hidden_biases(-30.0),
    ),
    *sick(
        "dying-relu",
        "rate-too-high-momentum",
        bases.CNN_CIFAR10.but(optimizer=sgd(0.05, 0.9)),
        12,
        _RATE,
        optimizer=sgd(1.0, 0.9),
    ),
    *sick(
        "dying-relu",
        "bias-4-adam",
        bases.FC_REUTERS,
        10,
        _START,
        prepare=hidden_biases(-4.0),
    ),
    *sick(
        "dying-relu",
        "deep5-bias-5-momentum",
        bases.CNN_DIGITS,
        11,
        _START,
        model=bases.CNN_DIGITS.remodel(blocks=5),
        prepare=hidden_biases(-5.0),
    ),
]

_TANH_CIRCLES = bases.FC_CIRCLES.but(model=bases.FC_CIRCLES.remodel(activation=nn.Tanh))
_SIGMOID_DIGITS = bases.FC_DIGITS.but(
    model=bases.FC_DIGITS.remodel(activation=nn.Sigmoid), optimizer=rmsprop(3e-3)
)
_TANH_MNIST = bases.FC_MNIST.but(model=bases.FC_MNIST.remodel(activation=nn.Tanh))
_TANH_EXCHANGE = bases.FC_EXCHANGE.but(model=bases.FC_EXCHANGE.remodel(activation=nn.Tanh))
_TANH_CNN_DIGITS = bases.CNN_DIGITS.but(model=bases.CNN_DIGITS.remodel(activation=nn.Tanh))
_TANH_CNN_MNIST = bases.CNN_MNIST.but(model=bases.CNN_MNIST.remodel(activation=nn.Tanh))

SATURATED: list[Recipe] = [
    *sick(
        "saturated-activation",
        "tanh-weights-x60",
        _TANH_CIRCLES,
        (0, 1),
        _START,
        prepare=scaled_weights(60.0),
    ),
    *sick(
        "saturated-activation",
        "sigmoid-inputs-x300",
        _SIGMOID_DIGITS,
        2,
        _RAW,
        source=_SIGMOID_DIGITS.data(changes.scaled(300.0)),
    ),
    *sick(
        "saturated-activation",
        "tanh-rnn-weights-x40",
        bases.RNN_DIGITS,
        0,
        _START,
        prepare=scaled_weights(40.0, "body"),
    ),
    *sick(
        "saturated-activation",
        "tanh-weights-x80",
        _TANH_CNN_MNIST,
        1,
        _START,
        prepare=scaled_weights(80.0),
    ),
    *sick(
        "saturated-activation",
        "tanh-weights-x50",
        _TANH_MNIST,
        (10, 11),
        _START,
        prepare=scaled_weights(50.0),
    ),
    *sick(
        "saturated-activation",
        "tanh-inputs-x1000",
        _TANH_EXCHANGE,
        12,
        _RAW,
        source=_TANH_EXCHANGE.data(changes.scaled(1000.0)),
    ),
    *sick(
        "saturated-activation",
        "gru-weights-x60",
        bases.RNN_MNIST,
        10,
        _START,
        prepare=scaled_weights(60.0, "body"),
    ),
    *sick(
        "saturated-activation",
        "tanh-weights-x60",
        _TANH_CNN_DIGITS,
        11,
        _START,
        prepare=scaled_weights(60.0),
    ),
]

_SOFTMAX = partial(nn.Softmax, dim=-1)
_FRIEDMAN_LARGE = bases.FC_FRIEDMAN.but(
    source=bases.FC_FRIEDMAN.data(changes.target_scaled(3.0, 4.0))
)
_CHARS_ADAM = bases.RNN_CHARS.but(optimizer=adam(5e-3))


def _binary_probability(plan: Plan) -> Plan:
    """The same with a sigmoid and the loss that wants probabilities."""
    return plan.but(
        model=plan.remodel(output=nn.Sigmoid), loss=ClampedBinaryLoss(), scoring="probabilities"
    )


_CIRCLES_PROBABILITY = _binary_probability(bases.FC_CIRCLES_BINARY)

IMPROPER_OUTPUT: list[Recipe] = [
    *sick(
        "improper-output-activation",
        "softmax-before-cross-entropy",
        bases.FC_DIGITS.but(hand_in_loss=True),
        (0, 1),
        model=bases.FC_DIGITS.remodel(output=_SOFTMAX),
    ),
    *sick(
        "improper-output-activation",
        "softmax-before-cross-entropy",
        bases.CNN_MNIST,
        2,
        model=bases.CNN_MNIST.remodel(output=_SOFTMAX),
    ),
    *sick(
        "improper-output-activation",
        "sigmoid-before-bce-logits",
        bases.FC_CIRCLES_BINARY,
        0,
        model=bases.FC_CIRCLES_BINARY.remodel(output=nn.Sigmoid),
    ),
    *sick(
        "improper-output-activation",
        "relu-before-cross-entropy",
        bases.FC_DIGITS,
        1,
        ("dying-relu",),
        model=bases.FC_DIGITS.remodel(output=nn.ReLU),
    ),
    *sick(
        "improper-output-activation",
        "no-sigmoid-before-bce",
        _CIRCLES_PROBABILITY,
        2,
        model=_CIRCLES_PROBABILITY.remodel(output=nn.Identity),
    ),
    *sick(
        "improper-output-activation",
        "tanh-before-large-targets",
        _FRIEDMAN_LARGE,
        0,
        model=_FRIEDMAN_LARGE.remodel(output=nn.Tanh),
    ),
    *sick(
        "improper-output-activation",
        "softmax-in-language-model",
        bases.TRANSFORMER_CHARS,
        1,
        model=bases.TRANSFORMER_CHARS.remodel(output=_SOFTMAX),
    ),
    *sick(
        "improper-output-activation",
        "softmax-before-cross-entropy",
        bases.CNN_CIFAR10,
        (10, 11),
        model=bases.CNN_CIFAR10.remodel(output=_SOFTMAX),
    ),
    *sick(
        "improper-output-activation",
        "relu-before-cross-entropy",
        bases.FC_MNIST,
        12,
        ("dying-relu",),
        model=bases.FC_MNIST.remodel(output=nn.ReLU),
    ),
    *sick(
        "improper-output-activation",
        "sigmoid-before-bce-logits",
        bases.TRANSFORMER_IMDB,
        10,
        model=bases.TRANSFORMER_IMDB.remodel(output=nn.Sigmoid),
    ),
    *sick(
        "improper-output-activation",
        "sigmoid-before-regression",
        bases.FC_EXCHANGE,
        10,
        model=bases.FC_EXCHANGE.remodel(output=nn.Sigmoid),
    ),
    *sick(
        "improper-output-activation",
        "softmax-before-cross-entropy",
        bases.RNN_REUTERS.but(optimizer=adamw(5e-3)),
        12,
        model=bases.RNN_REUTERS.remodel(output=_SOFTMAX),
    ),
    *sick(
        "improper-output-activation",
        "softmax-in-language-model",
        _CHARS_ADAM,
        10,
        loss=NextSymbolAfter(nn.Softmax(-1)),
    ),
]

RECIPES = DYING + SATURATED + IMPROPER_OUTPUT
