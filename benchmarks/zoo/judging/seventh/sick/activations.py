"""Units that are dead or saturated, and outputs that do not fit the loss."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....faults import hidden_biases, scaled_weights
from ....optimizers import adam, sgd
from ....recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)
_PLAIN_TAGS = bases.GROUPED_TAGS.but(model=bases.GROUPED_TAGS.remodel(norm=False))

DYING: list[Recipe] = [
    *sick("dying-relu", "bias-6", bases.PLACED_STRIPES, 200, _START, prepare=hidden_biases(-6.0)),
    *sick("dying-relu", "bias-4", _PLAIN_TAGS, 201, _START, prepare=hidden_biases(-4.0)),
    *sick(
        "dying-relu",
        "rate-0.8",
        bases.NEAREST_COLOURS,
        202,
        ("learning-rate-too-high",),
        optimizer=sgd(0.8, 0.9),
    ),
]

_TANH_DIGITS = bases.PLACED_DIGITS.but(model=bases.PLACED_DIGITS.remodel(activation=nn.Tanh))
_TANH_HOUSING = bases.GROUPED_HOUSING.but(
    model=bases.GROUPED_HOUSING.remodel(activation=nn.Tanh, norm=False)
)

SATURATED: list[Recipe] = [
    *sick(
        "saturated-activation",
        "tanh-weights-x60",
        _TANH_DIGITS,
        203,
        _START,
        prepare=scaled_weights(60.0, "0.", "3."),
    ),
    *sick(
        "saturated-activation",
        "tanh-weights-x40",
        _TANH_HOUSING,
        204,
        _START,
        prepare=scaled_weights(40.0),
    ),
    *sick(
        "saturated-activation",
        "state-weights-x30",
        bases.CLOCKWORK_WALKS,
        205,
        _START,
        prepare=scaled_weights(30.0, "enter", "again"),
    ),
]

IMPROPER_OUTPUT: list[Recipe] = [
    *sick(
        "improper-output-activation",
        "softmax-before-cross-entropy",
        bases.REMEMBERING_REGIONS,
        206,
        model=bases.REMEMBERING_REGIONS.remodel(output=partial(nn.Softmax, dim=-1)),
    ),
    *sick(
        "improper-output-activation",
        "sigmoid-before-bce-logits",
        bases.NEAREST_NEEDLES,
        207,
        model=bases.NEAREST_NEEDLES.remodel(output=nn.Sigmoid),
    ),
    *sick(
        "improper-output-activation",
        "relu-of-a-signed-target",
        bases.BILINEAR_LIQUIDS.but(optimizer=adam(3e-3)),
        208,
        model=bases.BILINEAR_LIQUIDS.remodel(output=nn.ReLU),
    ),
]

RECIPES = DYING + SATURATED + IMPROPER_OUTPUT
