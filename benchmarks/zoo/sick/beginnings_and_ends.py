"""Weights that start in the wrong place, and runs that stop too soon."""

from __future__ import annotations

from .. import bases
from ..faults import constant_parameters, normal_weights, scaled_weights
from ..optimizers import adam, sgd
from ..plan import Plan
from ..recipe import Recipe, sick

_SMALL = ("vanishing-gradient",)
_LARGE = ("exploding-gradient",)

_DEEP_DIGITS = bases.FC_DIGITS.but(model=bases.FC_DIGITS.remodel(depth=4))
_DEEP_CNN_MNIST = bases.CNN_MNIST.but(model=bases.CNN_MNIST.remodel(blocks=5))

INITIALISATION: list[Recipe] = [
    *sick(
        "poor-initialization", "all-zero", bases.FC_DIGITS, (0, 1), prepare=constant_parameters(0.0)
    ),
    *sick(
        "poor-initialization", "constant-0.5", bases.FC_CIRCLES, 2, prepare=constant_parameters(0.5)
    ),
    *sick(
        "poor-initialization", "deviation-2", _DEEP_DIGITS, 2, _LARGE, prepare=normal_weights(2.0)
    ),
    *sick(
        "poor-initialization",
        "tiny-weights",
        _DEEP_CNN_MNIST,
        0,
        _SMALL,
        prepare=scaled_weights(0.01),
    ),
    *sick(
        "poor-initialization", "constant-0.1", bases.RNN_DIGITS, 1, prepare=constant_parameters(0.1)
    ),
    *sick("poor-initialization", "all-zero", bases.RNN_MNIST, 10, prepare=constant_parameters(0.0)),
    *sick("poor-initialization", "all-zero", bases.FC_MNIST, 11, prepare=constant_parameters(0.0)),
    *sick(
        "poor-initialization",
        "weights-x20",
        bases.CNN_CIFAR10,
        12,
        _LARGE,
        prepare=scaled_weights(20.0),
    ),
    *sick(
        "poor-initialization",
        "deviation-1",
        bases.TRANSFORMER_REUTERS,
        10,
        _LARGE,
        prepare=normal_weights(1.0),
    ),
    *sick(
        "poor-initialization",
        "deviation-3",
        bases.FC_EXCHANGE,
        11,
        _LARGE,
        prepare=normal_weights(3.0),
    ),
]


def _stopped(full: Plan, seeds: int | tuple[int, ...], epochs: int) -> list[Recipe]:
    return sick(
        "too-few-steps", f"{epochs}-epochs", full, seeds, ("slow-convergence",), epochs=epochs
    )


TOO_FEW: list[Recipe] = [
    *_stopped(
        bases.FC_DIGITS.but(
            source=bases.FC_DIGITS.source.sized(640), optimizer=sgd(0.05), epochs=40
        ),
        (0, 1),
        8,
    ),
    *_stopped(bases.TRANSFORMER_CHARS.but(optimizer=adam(5e-4), epochs=12), 2, 3),
    *_stopped(bases.CNN_MNIST.but(optimizer=adam(5e-4), epochs=20), 0, 4),
    *_stopped(bases.RNN_DIGITS.but(optimizer=adam(7e-4), epochs=24), 1, 5),
    *_stopped(bases.FC_MNIST.but(optimizer=sgd(0.03), epochs=25), (10, 11), 5),
    *_stopped(bases.RNN_CHARS.but(optimizer=adam(2e-3), epochs=14), 12, 3),
    *_stopped(bases.FC_BLOBS.but(optimizer=sgd(0.01), epochs=40), 10, 8),
    *_stopped(bases.TRANSFORMER_REUTERS.but(optimizer=adam(5e-4), epochs=24), 11, 6),
]

RECIPES = INITIALISATION + TOO_FEW
