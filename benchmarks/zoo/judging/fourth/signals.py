"""Gradients that vanish or jump, and units at the ends of their range."""

from __future__ import annotations

from torch import nn

from ...data import changes
from ...faults import scaled_weights, spiked_inputs, spiked_targets
from ...optimizers import sgd
from ...recipe import Recipe, sick
from ..third import bases

_ODDS = bases.ADDITIVE_ODDS.but(optimizer=sgd(0.05, 0.9))
_MNIST = bases.SQUEEZED_MNIST.but(epochs=4)

VANISHING: list[Recipe] = [
    *sick(
        "vanishing-gradient",
        "sigmoid10-momentum",
        _ODDS,
        90,
        model=_ODDS.remodel(depth=10, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid7-no-norm",
        _MNIST,
        91,
        model=_MNIST.remodel(blocks=7, activation=nn.Sigmoid, norm=False),
    ),
]

UNSTABLE: list[Recipe] = [
    *sick(
        "gradient-instability",
        "spiked-targets",
        bases.GATED_HOUSING.but(optimizer=sgd(0.02)),
        90,
        ("abnormal-data", "invalid-labels"),
        tamper=spiked_targets(37, 20.0),
    ),
    *sick(
        "gradient-instability",
        "spiked-inputs",
        bases.POINTER_POINTING.but(optimizer=sgd(0.05)),
        91,
        ("abnormal-data",),
        tamper=spiked_inputs(31, 40.0),
    ),
]

_TANH_CIRCUIT = bases.ADDITIVE_CIRCUIT.but(model=bases.ADDITIVE_CIRCUIT.remodel(activation=nn.Tanh))

SATURATED: list[Recipe] = [
    *sick(
        "saturated-activation",
        "hidden-weights-x80",
        _TANH_CIRCUIT,
        90,
        ("poor-initialization",),
        prepare=scaled_weights(80.0, ".0.weight", ".2.weight"),
    ),
    *sick(
        "saturated-activation",
        "tanh-inputs-x1000",
        _TANH_CIRCUIT,
        91,
        ("abnormal-data",),
        source=_TANH_CIRCUIT.data(changes.scaled(1000.0, 2000.0)),
    ),
]

RECIPES = VANISHING + UNSTABLE + SATURATED
