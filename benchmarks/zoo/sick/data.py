"""Inputs and labels that are abnormal, invalid, useless or missing."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor

from .. import bases
from ..data import changes
from ..faults import first_target_for_all, masked
from ..optimizers import sgd
from ..plan import Plan
from ..recipe import Recipe, sick

_DIGITS_SGD = bases.FC_DIGITS.but(optimizer=sgd(0.1, 0.9))
_CNN_MNIST_SGD = bases.CNN_MNIST.but(optimizer=sgd(0.05, 0.9))
_CIFAR_SGD = bases.CNN_CIFAR10.but(optimizer=sgd(0.05, 0.9))
_NAN = ("non-finite",)
_USELESS = ("uninformative-labels",)

ABNORMAL: list[Recipe] = [
    *sick(
        "abnormal-data",
        "not-normalised-x100",
        _DIGITS_SGD,
        (0, 1),
        source=_DIGITS_SGD.data(changes.scaled(100.0, 128.0)),
    ),
    *sick(
        "abnormal-data",
        "not-normalised-x100",
        _CNN_MNIST_SGD,
        2,
        source=_CNN_MNIST_SGD.data(changes.scaled(80.0, 128.0)),
    ),
    *sick(
        "abnormal-data",
        "one-feature-x1e6",
        bases.FC_FRIEDMAN,
        0,
        source=bases.FC_FRIEDMAN.data(changes.one_feature_scaled(7, 1e6)),
    ),
    *sick(
        "abnormal-data",
        "outliers-1e5",
        bases.CNN_EXCHANGE,
        1,
        source=bases.CNN_EXCHANGE.data(changes.outliers(0.01, 1e5)),
    ),
    *sick(
        "abnormal-data",
        "few-nan",
        bases.RNN_EXCHANGE,
        2,
        _NAN,
        source=bases.RNN_EXCHANGE.data(changes.outliers(0.01, math.nan)),
    ),
    *sick(
        "abnormal-data",
        "inputs-x1e4",
        bases.FC_MNIST,
        (10, 11),
        _NAN,
        source=bases.FC_MNIST.data(changes.scaled(1e4)),
    ),
    *sick(
        "abnormal-data",
        "not-normalised-x64",
        _CIFAR_SGD,
        12,
        source=_CIFAR_SGD.data(changes.scaled(64.0, 120.0)),
    ),
    *sick(
        "abnormal-data",
        "outliers-1e5",
        bases.FC_EXCHANGE,
        10,
        source=bases.FC_EXCHANGE.data(changes.outliers(0.01, 1e5)),
    ),
    *sick(
        "abnormal-data",
        "one-feature-x1e6",
        bases.FC_BLOBS.but(optimizer=sgd(0.1)),
        11,
        _NAN,
        source=bases.FC_BLOBS.data(changes.one_feature_scaled(3, 1e6)),
    ),
    *sick(
        "abnormal-data",
        "inputs-x1e4",
        bases.TRANSFORMER_EXCHANGE,
        12,
        source=bases.TRANSFORMER_EXCHANGE.data(changes.scaled(1e4, 1e4)),
    ),
]


def _outside(low: float, high: float) -> changes.Function:
    """Yes and no as two numbers that are not 0 and 1."""
    return lambda y: low + (high - low) * y


INVALID: list[Recipe] = [
    *sick(
        "invalid-labels",
        "mostly-ignored",
        bases.FC_DIGITS.but(hand_in_loss=True),
        0,
        source=bases.FC_DIGITS.data(changes.share_of_targets(0.95, -100)),
    ),
    *sick(
        "invalid-labels",
        "one-class-only",
        bases.CNN_MNIST,
        (0, 1),
        source=bases.CNN_MNIST.data(changes.train_targets(lambda y: torch.full_like(y, 3))),
    ),
    *sick(
        "invalid-labels",
        "binary-labels-0-2",
        bases.FC_CIRCLES_BINARY,
        2,
        source=bases.FC_CIRCLES_BINARY.data(changes.train_targets(_outside(0, 2))),
    ),
    *sick(
        "invalid-labels",
        "few-nan-targets",
        bases.FC_FRIEDMAN,
        0,
        _NAN,
        source=bases.FC_FRIEDMAN.data(changes.share_of_targets(0.01, math.nan)),
    ),
    *sick(
        "invalid-labels",
        "first-label-for-the-batch",
        bases.RNN_DIGITS,
        1,
        _USELESS,
        tamper=first_target_for_all,
    ),
    *sick(
        "invalid-labels",
        "mostly-ignored",
        bases.CNN_CIFAR10,
        10,
        source=bases.CNN_CIFAR10.data(changes.share_of_targets(0.97, -100)),
    ),
    *sick(
        "invalid-labels",
        "one-class-only",
        bases.FC_MNIST,
        (10, 11),
        source=bases.FC_MNIST.data(changes.train_targets(lambda y: torch.full_like(y, 7))),
    ),
    *sick(
        "invalid-labels",
        "binary-labels-minus1-1",
        bases.TRANSFORMER_IMDB,
        12,
        source=bases.TRANSFORMER_IMDB.data(changes.train_targets(_outside(-1, 1))),
    ),
    *sick(
        "invalid-labels",
        "few-nan-targets",
        bases.FC_EXCHANGE,
        10,
        _NAN,
        source=bases.FC_EXCHANGE.data(changes.share_of_targets(0.01, math.nan)),
    ),
    *sick(
        "invalid-labels",
        "first-label-for-the-batch",
        bases.FC_REUTERS,
        11,
        _USELESS,
        tamper=first_target_for_all,
    ),
]


def _shuffled(plan: Plan, *seeds: int) -> list[Recipe]:
    return sick(
        "uninformative-labels", "shuffled", plan, seeds, source=plan.data(changes.shuffled_labels)
    )


def _noise(plan: Plan, *seeds: int) -> list[Recipe]:
    return sick(
        "uninformative-labels",
        "noise-targets",
        plan,
        seeds,
        source=plan.data(changes.noise_targets),
    )


UNINFORMATIVE: list[Recipe] = [
    *_shuffled(_DIGITS_SGD.but(optimizer=sgd(0.03, 0.9)), 0),
    *_shuffled(bases.CNN_MNIST, 1),
    *_shuffled(bases.TRANSFORMER_DIGITS, 2),
    *_noise(bases.RNN_EXCHANGE, 0),
    *_noise(bases.FC_FRIEDMAN.but(optimizer=sgd(0.05)), 1),
    *_shuffled(bases.FC_MNIST, 10),
    *_shuffled(bases.CNN_CIFAR10, 11),
    *_shuffled(bases.RNN_MNIST, 12),
    *_noise(bases.TRANSFORMER_EXCHANGE, 10),
    *_noise(bases.FC_EXCHANGE, 11),
]


def _same(x: Tensor) -> Tensor:
    return x[:1].expand_as(x).clone()


def _dead(plan: Plan, form: str, change: changes.Function, *seeds: int) -> list[Recipe]:
    return sick("dead-input", form, plan, seeds, source=plan.data(changes.inputs(change)))


DEAD: list[Recipe] = [
    *_dead(bases.FC_DIGITS, "all-zero", torch.zeros_like, 0, 1),
    *_dead(bases.CNN_MNIST, "constant", partial(torch.full_like, fill_value=0.7), 2),
    *_dead(bases.FC_CIRCLES, "same-sample", _same, 0),
    *_dead(bases.RNN_IMDB, "all-padding", torch.zeros_like, 1),
    *sick("dead-input", "masked", bases.RNN_EXCHANGE, 2, model=masked(bases.RNN_EXCHANGE.model)),
    *_dead(bases.FC_MNIST, "all-zero", torch.zeros_like, 10),
    *_dead(bases.TRANSFORMER_REUTERS, "all-padding", torch.zeros_like, 11),
    *_dead(bases.FC_EXCHANGE, "same-sample", _same, 12),
    *sick("dead-input", "masked", bases.CNN_CIFAR10, 10, model=masked(bases.CNN_CIFAR10.model)),
    *_dead(bases.RNN_MNIST, "constant", partial(torch.full_like, fill_value=-0.4), 11),
]

RECIPES = ABNORMAL + INVALID + UNINFORMATIVE + DEAD
