"""Units that are dead or saturated, and outputs that do not fit the loss."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data import changes
from ....faults import hidden_biases, scaled_weights
from ....optimizers import adam
from ....recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)
_PLAIN_TEXTURES = bases.COORDINATES_TEXTURES.but(
    model=bases.COORDINATES_TEXTURES.remodel(norm=False), optimizer=adam(3e-3)
)

DYING: list[Recipe] = [
    *sick(
        "dying-relu",
        "bias-6",
        bases.RELATION_SPREAD,
        110,
        _START,
        prepare=hidden_biases(-6.0),
    ),
    *sick("dying-relu", "bias-4", _PLAIN_TEXTURES, 111, _START, prepare=hidden_biases(-4.0)),
]

_TANH_HOUSING = bases.LOOPED_HOUSING.but(
    model=bases.LOOPED_HOUSING.remodel(activation=nn.Tanh, norm=False, loops=2)
)
_TANH_SPREAD = bases.RELATION_SPREAD.but(model=bases.RELATION_SPREAD.remodel(activation=nn.Tanh))

SATURATED: list[Recipe] = [
    *sick(
        "saturated-activation",
        "tanh-raw-units",
        _TANH_HOUSING,
        112,
        ("abnormal-data",),
        source=_TANH_HOUSING.data(changes.scaled(300.0, 1500.0)),
    ),
    *sick(
        "saturated-activation",
        "tanh-weights-x60",
        _TANH_SPREAD,
        113,
        _START,
        prepare=scaled_weights(60.0, "pair", "body"),
    ),
]

IMPROPER_OUTPUT: list[Recipe] = [
    *sick(
        "improper-output-activation",
        "softmax-before-cross-entropy",
        bases.SHUFFLED_SHAPES,
        114,
        model=bases.SHUFFLED_SHAPES.remodel(output=partial(nn.Softmax, dim=-1)),
    ),
    *sick(
        "improper-output-activation",
        "relu-before-bce-logits",
        bases.LINEAR_COMPARING,
        115,
        model=bases.LINEAR_COMPARING.remodel(output=nn.ReLU),
    ),
    *sick(
        "improper-output-activation",
        "sigmoid-before-standardised-targets",
        bases.SPLINES_CIRCUIT,
        116,
        model=bases.SPLINES_CIRCUIT.remodel(output=nn.Sigmoid),
    ),
]

RECIPES = DYING + SATURATED + IMPROPER_OUTPUT
