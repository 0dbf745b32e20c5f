"""Units that are dead or saturated, and outputs that do not fit the loss."""

from __future__ import annotations

from torch import nn

from ....faults import hidden_biases, scaled_weights
from ....optimizers import adam
from ....recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)
_PLAIN_SHAPES = bases.ASYMMETRIC_SHAPES.but(
    model=bases.ASYMMETRIC_SHAPES.remodel(norm=False), optimizer=adam(5e-3)
)

DYING: list[Recipe] = [
    *sick(
        "dying-relu",
        "bias-5",
        bases.WAVED_CHECKERS,
        150,
        _START,
        prepare=hidden_biases(-5.0),
    ),
    *sick("dying-relu", "bias-3", _PLAIN_SHAPES, 151, _START, prepare=hidden_biases(-3.0)),
]

_TANH_ARMS = bases.HYPER_ARMS.but(model=bases.HYPER_ARMS.remodel(activation=nn.Tanh, norm=False))

SATURATED: list[Recipe] = [
    *sick(
        "saturated-activation",
        "tanh-weights-x50",
        _TANH_ARMS,
        153,
        _START,
        prepare=scaled_weights(50.0, "maker", "weights", "body"),
    ),
]

IMPROPER_OUTPUT: list[Recipe] = [
    *sick(
        "improper-output-activation",
        "sigmoid-before-bce-logits",
        bases.FACTORED_TAGS,
        154,
        model=bases.FACTORED_TAGS.remodel(output=nn.Sigmoid),
    ),
]

RECIPES = DYING + SATURATED + IMPROPER_OUTPUT
