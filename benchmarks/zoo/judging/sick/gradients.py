"""Gradients that vanish, explode or jump."""

from __future__ import annotations

from functools import partial

from torch import nn

from ...data import changes
from ...faults import scaled_weights, spiked_inputs, spiked_targets
from ...optimizers import adam, rmsprop, sgd
from ...recipe import Recipe, sick
from .. import bases
from ..networks.sequences import Stack

_START = ("poor-initialization",)

_FOREST_SGD = bases.FUNNEL_FOREST.but(optimizer=sgd(0.05, 0.9))
_SPIRALS_SGD = bases.WIDE_SPIRALS.but(optimizer=sgd(0.1, 0.9))
_ELMAN_SGD = bases.ELMAN_SINES.but(optimizer=sgd(0.1, 0.9))

VANISHING: list[Recipe] = [
    *sick(
        "vanishing-gradient",
        "sigmoid12-momentum",
        _FOREST_SGD,
        20,
        model=_FOREST_SGD.remodel(widths=(96, 64, *[48] * 8, 32, 24), activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid10-momentum",
        bases.VGG_MNIST,
        20,
        model=bases.VGG_MNIST.remodel(blocks=3, convolutions=3, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid10-no-residual-adam",
        bases.TCN_SINES,
        21,
        model=bases.TCN_SINES.remodel(layers=10, activation=nn.Sigmoid, residual=False),
    ),
    *sick(
        "vanishing-gradient",
        "tanh16-small-weights-momentum",
        _SPIRALS_SGD,
        22,
        _START,
        model=_SPIRALS_SGD.remodel(width=48, depth=16, activation=nn.Tanh),
        prepare=scaled_weights(0.6),
    ),
    *sick(
        "vanishing-gradient",
        "stacked7-small-weights-momentum",
        _ELMAN_SGD,
        22,
        _START,
        model=_ELMAN_SGD.remodel(layers=7),
        prepare=scaled_weights(0.25, "body"),
    ),
]

_RELU_ELMAN = bases.ELMAN_SINES.but(
    model=partial(Stack, partial(nn.RNN, nonlinearity="relu"), 1, 1),
    optimizer=adam(2e-3),
    clip=None,
)
_DEEP_HOUSING = bases.FUNNEL_HOUSING.but(
    model=bases.FUNNEL_HOUSING.remodel(widths=(64, 64, 48, 48, 32, 32, 16, 16))
)
_DEEP_EXCHANGE = bases.TCN_EXCHANGE.but(model=bases.TCN_EXCHANGE.remodel(layers=6))
_MIXER_PLAIN = bases.MIXER_DIGITS.but(model=bases.MIXER_DIGITS.remodel(blocks=4))

EXPLODING: list[Recipe] = [
    *sick(
        "exploding-gradient",
        "relu-elman-large-recurrence-adam",
        _RELU_ELMAN,
        20,
        _START,
        prepare=scaled_weights(3.5, "weight_hh"),
    ),
    *sick(
        "exploding-gradient",
        "relu8-weights-x4-adamw",
        _DEEP_HOUSING,
        22,
        _START,
        prepare=scaled_weights(4.0),
    ),
    *sick(
        "exploding-gradient",
        "causal6-weights-x5-adam",
        _DEEP_EXCHANGE,
        20,
        _START,
        prepare=scaled_weights(5.0),
    ),
    *sick(
        "exploding-gradient",
        "mixer4-no-norm-weights-x4",
        _MIXER_PLAIN,
        21,
        _START,
        model=_MIXER_PLAIN.remodel(norm=False),
        prepare=scaled_weights(4.0),
    ),
]

_DATA = ("abnormal-data",)
_HOUSING_SGD = bases.FUNNEL_HOUSING.but(optimizer=sgd(0.02))
_SINES_SGD = bases.TCN_SINES.but(optimizer=sgd(0.01))
_LEAKY_RMSPROP = bases.GRU_LEAKY.but(optimizer=rmsprop(2e-3))
_SHAPES_SGD = bases.VGG_SHAPES.but(optimizer=sgd(0.01, 0.9))

UNSTABLE: list[Recipe] = [
    *sick(
        "gradient-instability",
        "heavy-tailed-targets-sgd",
        _HOUSING_SGD,
        20,
        _DATA,
        source=_HOUSING_SGD.data(changes.heavy_tails(0.004, 40.0)),
    ),
    *sick(
        "gradient-instability",
        "spiked-targets-sgd",
        _SINES_SGD,
        22,
        _DATA,
        tamper=spiked_targets(35, 30.0),
    ),
    *sick(
        "gradient-instability",
        "spiked-targets-rmsprop",
        _LEAKY_RMSPROP,
        20,
        _DATA,
        tamper=spiked_targets(40, 200.0),
    ),
    *sick(
        "gradient-instability",
        "spiked-inputs-momentum",
        _SHAPES_SGD,
        21,
        _DATA,
        tamper=spiked_inputs(33, 10.0),
    ),
]

RECIPES = VANISHING + EXPLODING + UNSTABLE
