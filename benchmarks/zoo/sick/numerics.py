"""Numbers that stop being finite, each born in another place."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .. import bases
from ..data import changes
from ..faults import constant_targets_from, input_of_step, inputs_replaced_from, inserted
from ..losses import exponential_loss, log_likelihood, relative_error
from ..optimizers import sgd
from ..plan import Plan
from ..recipe import Recipe, sick

ONSET = 120
_DATA = ("abnormal-data",)


class Log(nn.Module):
    """The logarithm of what a ReLU gives: minus infinity where it is shut."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.log(torch.relu(x))


class Standardised(nn.Module):
    """Batch normalisation by hand, without the epsilon: 0/0 for a unit that is silent."""

    def forward(self, x: Tensor) -> Tensor:
        return (x - x.mean(0)) / x.std(0)


class Exponent(nn.Module):
    """An exponential without a guard."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.exp(40 * x)


def _nan_batch(plan: Plan, seed: int) -> list[Recipe]:
    return sick(
        "non-finite", "nan-batch", plan, seed, _DATA, ONSET, tamper=input_of_step(ONSET, math.nan)
    )


def _zero_over_zero(plan: Plan, seed: int) -> list[Recipe]:
    plan = plan.but(loss=relative_error)
    return sick(
        "non-finite",
        "zero-over-zero-in-loss",
        plan,
        seed,
        ("invalid-labels",),
        ONSET,
        tamper=constant_targets_from(ONSET),
    )


def _blow_up(x: Tensor) -> Tensor:
    return x * 1e5


RECIPES: list[Recipe] = [
    *sick(
        "non-finite",
        "log-of-zero-layer",
        bases.FC_CIRCLES,
        (0, 1),
        model=inserted(bases.FC_CIRCLES.model, 4, Log),
    ),
    *_zero_over_zero(bases.FC_FRIEDMAN, 2),
    *_nan_batch(bases.FC_DIGITS, 0),
    *sick(
        "non-finite",
        "float16-overflow",
        bases.CNN_MNIST,
        1,
        _DATA,
        ONSET,
        autocast=torch.float16,
        tamper=inputs_replaced_from(ONSET, _blow_up),
    ),
    *sick(
        "non-finite",
        "exponential-in-loss",
        bases.RNN_EXCHANGE,
        2,
        _DATA,
        loss=exponential_loss,
        source=bases.RNN_EXCHANGE.data(changes.target_scaled(1e4)),
        optimizer=sgd(0.1),
    ),
    *sick(
        "non-finite",
        "log-of-zero-in-loss",
        bases.FC_MNIST,
        10,
        ("learning-rate-too-high",),
        loss=log_likelihood,
        optimizer=sgd(1.0, 0.9),
    ),
    *_nan_batch(bases.CNN_CIFAR10, 11),
    *_zero_over_zero(bases.FC_EXCHANGE, 12),
    *sick(
        "non-finite",
        "zero-over-zero-layer",
        bases.FC_BLOBS,
        10,
        model=inserted(bases.FC_BLOBS.model, 4, Standardised),
    ),
    *sick(
        "non-finite",
        "float16-overflow",
        bases.TRANSFORMER_EXCHANGE,
        11,
        _DATA,
        ONSET,
        autocast=torch.float16,
        tamper=inputs_replaced_from(ONSET, _blow_up),
    ),
    *sick(
        "non-finite",
        "exponential-layer",
        bases.FC_EXCHANGE,
        10,
        ("exploding-gradient",),
        model=inserted(bases.FC_EXCHANGE.model, 3, Exponent),
    ),
]
