"""Gradients that vanish, explode or jump."""

from __future__ import annotations

from torch import nn

from ....data import changes
from ....faults import scaled_weights, spiked_inputs, spiked_targets
from ....optimizers import adam, sgd
from ....recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)

VANISHING: list[Recipe] = [
    *sick(
        "vanishing-gradient",
        "sigmoid10-momentum",
        bases.SETS_COLOURS,
        40,
        model=bases.SETS_COLOURS.remodel(depth=10, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid9-momentum",
        bases.LENET_DIGITS,
        41,
        model=bases.LENET_DIGITS.remodel(convolutions=4, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "tanh12-small-weights-adam",
        bases.TOWERS_PAIRS,
        42,
        _START,
        model=bases.TOWERS_PAIRS.remodel(depth=12, activation=nn.Tanh),
        prepare=scaled_weights(0.3, "tower"),
    ),
]

_DEEP_CIRCUIT = bases.MAXOUT_CIRCUIT.but(
    model=bases.MAXOUT_CIRCUIT.remodel(depth=7), optimizer=adam(2e-3)
)
_DEEP_SPREAD = bases.SETS_SPREAD.but(model=bases.SETS_SPREAD.remodel(depth=5))
_DEEP_STRIPES = bases.INCEPTION_STRIPES.but(
    model=bases.INCEPTION_STRIPES.remodel(blocks=4, branch=4)
)

EXPLODING: list[Recipe] = [
    *sick(
        "exploding-gradient",
        "maxout7-weights-x4-adam",
        _DEEP_CIRCUIT,
        40,
        _START,
        prepare=scaled_weights(4.0),
    ),
    *sick(
        "exploding-gradient",
        "relu8-weights-x5-adam",
        _DEEP_SPREAD,
        41,
        _START,
        prepare=scaled_weights(5.0),
    ),
    *sick(
        "exploding-gradient",
        "inception4-no-norm-weights-x10",
        _DEEP_STRIPES,
        42,
        _START,
        model=bases.INCEPTION_STRIPES.remodel(blocks=4, branch=4, norm=False),
        prepare=scaled_weights(10.0),
    ),
]

_DATA = ("abnormal-data",)
_CIRCUIT_SGD = bases.MAXOUT_CIRCUIT.but(optimizer=sgd(0.03))
_SPREAD_SGD = bases.SETS_SPREAD.but(optimizer=sgd(0.03))
_HASTIE_SGD = bases.MAXOUT_HASTIE.but(optimizer=sgd(0.02, 0.9))

UNSTABLE: list[Recipe] = [
    *sick(
        "gradient-instability",
        "heavy-tailed-targets-sgd",
        _CIRCUIT_SGD,
        41,
        _DATA,
        source=_CIRCUIT_SGD.data(changes.heavy_tails(0.004, 40.0)),
    ),
    *sick(
        "gradient-instability",
        "spiked-targets-sgd",
        _SPREAD_SGD,
        42,
        _DATA,
        tamper=spiked_targets(41, 15.0),
    ),
    *sick(
        "gradient-instability",
        "spiked-inputs-momentum",
        _HASTIE_SGD,
        43,
        _DATA,
        tamper=spiked_inputs(36, 12.0),
    ),
]

RECIPES = VANISHING + EXPLODING + UNSTABLE
