"""Gradients that vanish, explode or jump."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data import changes
from ....faults import normal_weights, scaled_weights, spiked_inputs, spiked_targets
from ....optimizers import adam, sgd
from ....plan import Batch
from ....recipe import Recipe, sick
from ... import bases as first
from ...second import bases as second
from .. import bases

_START = ("poor-initialization",)
_CIRCUIT = bases.ADDITIVE_CIRCUIT.but(optimizer=sgd(0.05, 0.9))
_RHYTHMS = bases.WAVES_RHYTHMS.but(optimizer=sgd(0.05, 0.9))
_SALES = bases.CROSSED_SALES.but(
    model=bases.CROSSED_SALES.remodel(crosses=0), optimizer=sgd(0.02, 0.5)
)
_TEXTURES = bases.SQUEEZED_TEXTURES.but(optimizer=sgd(0.05, 0.9))

VANISHING: list[Recipe] = [
    *sick(
        "vanishing-gradient",
        "sigmoid9-momentum",
        _CIRCUIT,
        60,
        model=_CIRCUIT.remodel(depth=9, activation=nn.Sigmoid),
    ),
    *sick(
        "vanishing-gradient",
        "gates14-no-way-around",
        _RHYTHMS,
        61,
        model=_RHYTHMS.remodel(layers=14, around=False),
    ),
    *sick(
        "vanishing-gradient",
        "sigmoid8-no-norm",
        _TEXTURES,
        62,
        model=_TEXTURES.remodel(blocks=8, activation=nn.Sigmoid, norm=False),
    ),
    *sick(
        "vanishing-gradient",
        "tanh16-small-weights",
        second.TOWERS_PAIRS.but(optimizer=sgd(0.05, 0.9)),
        63,
        _START,
        model=second.TOWERS_PAIRS.remodel(depth=16, activation=nn.Tanh),
        prepare=scaled_weights(0.4, "tower"),
    ),
]

_DEEP_GRADES = bases.GATED_GRADES.but(model=bases.GATED_GRADES.remodel(depth=4))
_RELU_SINES = first.ELMAN_SINES.but(
    model=first.ELMAN_SINES.remodel(layers=2), optimizer=adam(2e-3), clip=None
)

EXPLODING: list[Recipe] = [
    *sick(
        "exploding-gradient",
        "gates4-no-norm-weights-x2",
        _DEEP_GRADES,
        60,
        _START,
        model=bases.GATED_GRADES.remodel(depth=4, norm=False),
        prepare=scaled_weights(2.0),
    ),
    *sick(
        "exploding-gradient",
        "attention5-gain-6-no-norm",
        bases.GRAPH_MOLECULES,
        61,
        _START,
        model=bases.GRAPH_MOLECULES.remodel(rounds=5, norm=False, gain=6.0),
        prepare=scaled_weights(2.5),
    ),
    *sick(
        "exploding-gradient",
        "relu10-deviation-0.6",
        second.TOWERS_PAIRS,
        62,
        _START,
        model=second.TOWERS_PAIRS.remodel(depth=10),
        prepare=normal_weights(0.6),
    ),
    *sick(
        "exploding-gradient",
        "relu-rnn-large-recurrence",
        _RELU_SINES,
        63,
        _START,
        model=partial(first.Stack, partial(nn.RNN, nonlinearity="relu"), 1, 1),
        prepare=scaled_weights(4.0, "weight_hh"),
    ),
]

_DATA = ("abnormal-data",)
_LABELS = ("abnormal-data", "invalid-labels")


def _loud_sample(step: int, batch: Batch) -> Batch:
    """In every thirtieth batch one sample is in other units."""
    inputs, targets = batch
    if step % 30 == 29:
        inputs = inputs.clone()
        inputs[0] *= 300.0
    return inputs, targets


def _other_units(step: int, batch: Batch) -> Batch:
    """In every fiftieth batch two targets are in other units."""
    inputs, targets = batch
    if step % 50 == 49:
        targets = targets.clone()
        targets[:2] = 60 * targets[:2] + 60
    return inputs, targets


_PLAIN_STRIPES = second.INCEPTION_STRIPES.but(
    model=second.INCEPTION_STRIPES.remodel(norm=False), optimizer=sgd(0.05, 0.9)
)
_SWISS = second.HIGHWAY_SWISS.but(optimizer=sgd(0.03))
_GRADES = first.MIXER_DIGITS.but(optimizer=sgd(0.05, 0.9))

UNSTABLE: list[Recipe] = [
    *sick(
        "gradient-instability",
        "heavy-tailed-targets",
        _SWISS,
        60,
        _LABELS,
        source=_SWISS.data(changes.heavy_tails(0.005, 60.0)),
    ),
    *sick(
        "gradient-instability", "targets-in-other-units", _SALES, 61, _LABELS, tamper=_other_units
    ),
    *sick("gradient-instability", "sample-in-other-units", _GRADES, 62, _DATA, tamper=_loud_sample),
    *sick(
        "gradient-instability",
        "spiked-inputs",
        _PLAIN_STRIPES,
        63,
        _DATA,
        tamper=spiked_inputs(33, 80.0),
    ),
    *sick(
        "gradient-instability",
        "spiked-targets",
        _SWISS,
        64,
        _LABELS,
        tamper=spiked_targets(43, 12.0),
    ),
    *sick(
        "gradient-instability",
        "spiked-targets",
        second.GRU_ADDING.but(optimizer=sgd(0.1), clip=None),
        65,
        _LABELS,
        tamper=spiked_targets(40, 60.0),
    ),
]

RECIPES = VANISHING + EXPLODING + UNSTABLE
