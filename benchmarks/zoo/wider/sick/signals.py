"""Gradients and activations that are too small, too large, dead, at an end, or of a wrong kind."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn

from ... import bases as first
from ...data import changes
from ...faults import hidden_biases, normal_weights, scaled_weights, spiked_inputs
from ...judging.second import bases as second
from ...models import mlp
from ...optimizers import adam, sgd
from ...plan import Batch
from ...recipe import Recipe, sick
from .. import bases
from ..networks import Experts, MessagePassing
from ..objectives import TagLoss

_START = ("poor-initialization",)
_DATA = ("abnormal-data",)
_FRIEDMAN = first.FC_FRIEDMAN.but(optimizer=sgd(0.05, 0.9))
_EXCHANGE = first.CNN_EXCHANGE.but(optimizer=sgd(0.05, 0.9))
_TCN = second.TCN_SIGNALS.but(optimizer=sgd(0.05, 0.9))

VANISHING: list[Recipe] = [
    *sick(
        "vanishing-gradient",
        "sigmoid12-momentum",
        _FRIEDMAN,
        3,
        model=_FRIEDMAN.remodel(depth=12, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid9-momentum",
        _EXCHANGE,
        3,
        model=_EXCHANGE.remodel(blocks=9, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid10-no-residual",
        _TCN,
        3,
        model=_TCN.remodel(layers=10, activation=nn.Sigmoid, residual=False),
    ),
]


class Loud(MessagePassing):
    """Every round adds up what was heard, several times over and without any norm."""

    def forward(self, x: Tensor) -> Tensor:
        states, joined = self.enter(x[..., : self.features]), x[..., self.features :]
        for one in self.rounds:
            heard = 4 * joined @ torch.relu(states)
            states = states + torch.relu(one(torch.cat([states, heard], -1)))
        pairs = torch.cat([states, joined @ states], -1)
        return self.head(torch.relu(self.pair(pairs)).mean(1))


_DEEP_BLOBS = first.FC_BLOBS.but(model=first.FC_BLOBS.remodel(depth=7), optimizer=adam(2e-3))

EXPLODING: list[Recipe] = [
    *sick(
        "exploding-gradient",
        "sums-of-sums",
        bases.GRAPH_GRAPHS,
        2,
        model=partial(Loud, 3, 1, rounds=6),
    ),
    *sick(
        "exploding-gradient",
        "relu7-deviation-1",
        _DEEP_BLOBS,
        4,
        _START,
        prepare=normal_weights(1.0),
    ),
]


def _jolted(step: int, batch: Batch) -> Batch:
    """One sample of every fortieth batch was read in other units."""
    inputs, targets = batch
    if step % 40 == 39:
        inputs = inputs.clone()
        inputs[0] *= 2000.0
    return inputs, targets


_HEAVY = bases.FC_HEAVY.but(loss=nn.MSELoss(), optimizer=sgd(0.05))

UNSTABLE: list[Recipe] = [
    *sick(
        "gradient-instability",
        "heavier-tails-squares",
        _HEAVY,
        7,
        (*_DATA, "invalid-labels"),
        source=_HEAVY.data(changes.heavy_tails(0.006, 80.0)),
    ),
    *sick(
        "gradient-instability",
        "sample-in-other-units",
        bases.LINEAR_DIGITS.but(optimizer=sgd(0.05)),
        2,
        _DATA,
        tamper=_jolted,
    ),
    *sick(
        "gradient-instability",
        "spiked-inputs-momentum",
        bases.CRNN_DIGITS.but(optimizer=sgd(0.05, 0.9), epochs=8),
        1,
        _DATA,
        tamper=spiked_inputs(35, 300.0),
    ),
]

_HEAVY_ADAM = bases.FC_HEAVY.but(loss=nn.MSELoss())

DYING: list[Recipe] = [
    *sick(
        "dying-relu",
        "rate-too-high",
        bases.FC_RARE.but(optimizer=sgd(0.1, 0.9)),
        4,
        ("learning-rate-too-high",),
        optimizer=sgd(2.0, 0.9),
    ),
    *sick("dying-relu", "bias-12", bases.PIECES_MNIST, 3, _START, prepare=hidden_biases(-12.0)),
    *sick("dying-relu", "bias-10", bases.FC_COUNTS, 2, _START, prepare=hidden_biases(-10.0)),
]

_TANH_HEAVY = _HEAVY_ADAM.but(model=_HEAVY_ADAM.remodel(activation=nn.Tanh))
_SIGMOID_RARE = bases.FC_COINS.but(
    model=bases.FC_COINS.remodel(activation=nn.Sigmoid), optimizer=adam(1e-2)
)

SATURATED: list[Recipe] = [
    *sick(
        "saturated-activation",
        "tanh-inputs-x500-plus-1500",
        _TANH_HEAVY,
        8,
        _DATA,
        source=_TANH_HEAVY.data(changes.scaled(500.0, 1500.0)),
    ),
    *sick(
        "saturated-activation",
        "gru-weights-x80",
        bases.RNN_TAGGING,
        1,
        _START,
        prepare=scaled_weights(80.0, "body"),
    ),
    *sick(
        "saturated-activation",
        "sigmoid-inputs-in-grams",
        _SIGMOID_RARE,
        6,
        _DATA,
        source=_SIGMOID_RARE.data(changes.scaled(1000.0, 70_000.0)),
    ),
]


class SoftenedTags(nn.Module):
    """Softmax before a loss that has its own."""

    def __init__(self) -> None:
        super().__init__()
        self.loss = TagLoss()

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return self.loss(torch.softmax(output, -1), target)


_DIGITS_PROBABILITY = first.CNN_DIGITS.but(
    model=first.CNN_DIGITS.remodel(output=partial(nn.LogSoftmax, dim=-1)), loss=nn.NLLLoss()
)
_SHIFTED = first.FC_FRIEDMAN.but(source=first.FC_FRIEDMAN.data(changes.target_scaled(1.0, -1.0)))
_RARE_BINARY = bases.FC_RARE.but(
    source=bases.FC_RARE.data(changes.column()),
    model=partial(mlp, 10, 1, output=nn.Sigmoid),
    loss=nn.BCELoss(),
    scoring="probabilities",
)

OUTPUTS: list[Recipe] = [
    *sick(
        "improper-output-activation",
        "relu-before-negative-targets",
        _SHIFTED,
        19,
        ("dying-relu",),
        model=_SHIFTED.remodel(output=nn.ReLU),
    ),
    *sick(
        "improper-output-activation",
        "softmax-before-nll",
        _DIGITS_PROBABILITY,
        8,
        ("improper-loss",),
        model=_DIGITS_PROBABILITY.remodel(output=partial(nn.Softmax, dim=-1)),
    ),
    *sick(
        "improper-output-activation",
        "softmax-of-one-column",
        _RARE_BINARY,
        5,
        model=partial(mlp, 10, 1, output=partial(nn.Softmax, dim=-1)),
    ),
    *sick(
        "improper-output-activation",
        "softmax-before-tags",
        bases.RNN_TAGGING.but(hand_in_loss=False),
        2,
        loss=SoftenedTags(),
    ),
    *sick(
        "improper-output-activation",
        "tanh-before-large-targets",
        bases.EXPERTS_FRIEDMAN.but(
            source=bases.EXPERTS_FRIEDMAN.data(changes.target_scaled(5.0, 10.0)),
            optimizer=adam(2e-2),
        ),
        1,
        model=lambda: nn.Sequential(Experts(10, 1), nn.Tanh()),
    ),
]

RECIPES = VANISHING + EXPLODING + UNSTABLE + DYING + SATURATED + OUTPUTS
