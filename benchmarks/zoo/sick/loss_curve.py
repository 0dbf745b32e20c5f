"""Losses that swing, crawl, stand still or blow up, and runs that go on for nothing."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn

from .. import bases
from ..data import changes
from ..data.tables import friedman
from ..faults import sorted_by_class
from ..models import mlp
from ..optimizers import adam, jump, sgd, swings
from ..plan import Plan
from ..recipe import Recipe, sick

_RATE = ("learning-rate-too-high",)
_LOW = ("learning-rate-too-low", "too-few-steps")

_DIGITS_SGD = bases.FC_DIGITS.but(optimizer=sgd(0.3))
_CNN_DIGITS_SGD = bases.CNN_DIGITS.but(optimizer=sgd(0.2))


def _sorted(plan: Plan, form: str, *seeds: int) -> list[Recipe]:
    return sick("oscillating-loss", f"class-sorted-{form}", plan, seeds, order=sorted_by_class)


def _swinging(plan: Plan, seed: int, form: str, **fault: object) -> list[Recipe]:
    return sick("oscillating-loss", form, plan, seed, _RATE, **fault)


OSCILLATING: list[Recipe] = [
    *_sorted(_DIGITS_SGD, "sgd", 0, 1),
    *_swinging(bases.FC_CIRCLES, 2, "momentum-0.99", optimizer=sgd(0.5, 0.99)),
    *_swinging(bases.CNN_MNIST, 0, "cyclic-rate", scheduler=swings(1e-3, 0.15, 20)),
    *_sorted(bases.RNN_DIGITS, "adam", 1),
    *_sorted(_CNN_DIGITS_SGD, "sgd", 10, 11),
    *_swinging(bases.FC_MNIST, 12, "momentum-0.99", optimizer=sgd(0.02, 0.99)),
    *_swinging(bases.RNN_MNIST, 10, "cyclic-rate", scheduler=swings(1e-3, 0.1, 20)),
    *_sorted(bases.RNN_MNIST, "adam", 11),
]


def _unequal(columns: int) -> torch.Tensor:
    return torch.logspace(0, -2.5, columns)


SLOW: list[Recipe] = [
    *sick("slow-convergence", "sgd-0.02", bases.FC_CIRCLES, (0, 1), _LOW, optimizer=sgd(0.02)),
    *sick("slow-convergence", "sgd-0.01", bases.CNN_MNIST, 2, _LOW, optimizer=sgd(0.01)),
    *sick(
        "slow-convergence",
        "ill-conditioned-sgd",
        bases.FC_FRIEDMAN,
        0,
        ("abnormal-data", *_LOW),
        source=bases.FC_FRIEDMAN.data(changes.inputs(lambda x: x * _unequal(10))),
        optimizer=sgd(0.02),
    ),
    *sick("slow-convergence", "adam-1e-4", bases.RNN_DIGITS, 1, _LOW, optimizer=adam(1e-4)),
    *sick("slow-convergence", "sgd-0.002", bases.FC_BLOBS, (10, 11), _LOW, optimizer=sgd(0.002)),
    *sick("slow-convergence", "sgd-0.02", bases.RNN_MNIST, 12, _LOW, optimizer=sgd(0.03)),
    *sick(
        "slow-convergence",
        "ill-conditioned-sgd",
        bases.FC_EXCHANGE,
        10,
        ("abnormal-data", *_LOW),
        source=bases.FC_EXCHANGE.data(changes.inputs(lambda x: x * _unequal(128))),
        optimizer=sgd(0.01),
    ),
    *sick(
        "slow-convergence",
        "adamw-3e-5",
        bases.TRANSFORMER_EXCHANGE,
        11,
        _LOW,
        optimizer=adam(3e-5),
    ),
]

_TANH_DIGITS = bases.FC_DIGITS.but(
    model=bases.FC_DIGITS.remodel(activation=nn.Tanh), optimizer=adam(5e-3)
)
_TANH_MNIST = bases.FC_MNIST.but(
    model=bases.FC_MNIST.remodel(activation=nn.Tanh), optimizer=adam(5e-3)
)
_TANH_CIFAR = bases.CNN_CIFAR10.but(
    model=bases.CNN_CIFAR10.remodel(activation=nn.Tanh, dropout=0.0)
)

PLATEAU: list[Recipe] = [
    *sick(
        "loss-plateau",
        "linear-model-sgd",
        bases.FC_CIRCLES,
        (0, 1),
        model=bases.FC_CIRCLES.remodel(depth=0),
    ),
    *sick(
        "loss-plateau",
        "linear-model-adam",
        bases.FC_CIRCLES_BINARY.but(optimizer=adam(1e-2)),
        2,
        model=bases.FC_CIRCLES_BINARY.remodel(depth=0),
    ),
    *sick("loss-plateau", "one-unit-wide", _TANH_DIGITS, 0, model=_TANH_DIGITS.remodel(hidden=1)),
    *sick(
        "loss-plateau",
        "one-unit-wide",
        bases.RNN_DIGITS,
        1,
        model=bases.RNN_DIGITS.remodel(hidden=1),
        optimizer=adam(1e-2),
    ),
    *sick(
        "loss-plateau", "one-unit-wide", _TANH_MNIST, (10, 11), model=_TANH_MNIST.remodel(hidden=1)
    ),
    *sick("loss-plateau", "one-channel-wide", _TANH_CIFAR, 12, model=_TANH_CIFAR.remodel(width=1)),
    *sick(
        "loss-plateau",
        "two-units-wide",
        bases.RNN_CHARS,
        10,
        model=bases.RNN_CHARS.remodel(hidden=2),
    ),
]


EXPLOSION: list[Recipe] = [
    *sick(
        "loss-explosion",
        "sign-error-sgd",
        bases.FC_CIRCLES,
        (0, 1),
        optimizer=sgd(0.05, maximize=True),
        clip=1.0,
    ),
    *sick("loss-explosion", "adam-rate-3", bases.FC_FRIEDMAN, 2, _RATE, optimizer=adam(3.0)),
    *sick(
        "loss-explosion",
        "sign-error-adam",
        bases.CNN_MNIST,
        0,
        optimizer=adam(3e-3, maximize=True),
    ),
    *sick(
        "loss-explosion",
        "rate-jumps-x1000",
        bases.CNN_EXCHANGE,
        1,
        _RATE,
        bases.CNN_EXCHANGE.steps // 2,
        scheduler=jump(0.5, 1000.0),
    ),
    *sick(
        "loss-explosion",
        "sign-error-sgd",
        bases.FC_MNIST,
        (10, 11),
        optimizer=sgd(0.02, maximize=True),
        clip=1.0,
    ),
    *sick(
        "loss-explosion",
        "sign-error-adam",
        bases.CNN_CIFAR10,
        12,
        optimizer=adam(3e-3, maximize=True),
    ),
    *sick(
        "loss-explosion",
        "adam-rate-2",
        bases.FC_EXCHANGE,
        10,
        _RATE,
        optimizer=adam(2.0),
    ),
    *sick(
        "loss-explosion",
        "sign-error-adam",
        bases.RNN_REUTERS,
        11,
        optimizer=adam(5e-3, maximize=True),
    ),
]

_LONG_FRIEDMAN = bases.FC_FRIEDMAN.but(
    source=friedman(320).changed(changes.input_noise(0.2)),
    model=partial(mlp, 10, 1, hidden=64),
    batch=16,
    optimizer=adam(1e-2),
)
_BENIGN = ("overfitting",)

NO_MORE_GAIN: list[Recipe] = [
    *sick(
        "no-more-gain",
        "long-past-best",
        bases.FC_CIRCLES,
        (0, 1),
        _BENIGN,
        source=bases.FC_CIRCLES.data(changes.input_noise(0.15)),
        optimizer=adam(2e-2),
        epochs=30,
    ),
    *sick(
        "no-more-gain",
        "long-past-best",
        bases.FC_DIGITS,
        2,
        _BENIGN,
        epochs=30,
        source=bases.FC_DIGITS.source.sized(640),
        optimizer=adam(1e-2),
    ),
    *sick("no-more-gain", "long-past-best", _LONG_FRIEDMAN, 0, _BENIGN, epochs=30),
    *sick("no-more-gain", "long-past-best", bases.FC_BLOBS, (10, 11), _BENIGN, epochs=30),
    *sick(
        "no-more-gain",
        "long-past-best",
        bases.CNN_DIGITS,
        12,
        _BENIGN,
        epochs=30,
        source=bases.CNN_DIGITS.data(changes.input_noise(0.4)).sized(640),
    ),
    *sick(
        "no-more-gain",
        "long-past-best",
        bases.FC_MNIST,
        10,
        _BENIGN,
        source=bases.FC_MNIST.source.sized(1280),
        optimizer=sgd(0.05, 0.9, weight_decay=1e-2),
        epochs=25,
    ),
]

RECIPES = OSCILLATING + SLOW + PLATEAU + EXPLOSION + NO_MORE_GAIN
