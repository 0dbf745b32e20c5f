"""Losses that do not fit the task."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from .. import bases
from ..data import changes
from ..models import Recurrent, cnn, mlp
from ..plan import Plan
from ..recipe import Recipe, sick


def _numbers(plan: Plan) -> dict[str, object]:
    """The class as a quantity: one output, squared error."""
    return {
        "source": plan.data(changes.targets(lambda y: y.float().reshape(-1, 1))),
        "loss": F.mse_loss,
        "scoring": "class-numbers",
    }


RECIPES: list[Recipe] = [
    *sick(
        "improper-loss",
        "mse-on-class-numbers",
        bases.FC_DIGITS,
        (0, 1),
        model=partial(mlp, 64, 1),
        **_numbers(bases.FC_DIGITS),
    ),
    *sick(
        "improper-loss",
        "cross-entropy-of-one-output",
        bases.FC_CIRCLES_BINARY,
        2,
        loss=nn.CrossEntropyLoss(),
    ),
    *sick(
        "improper-loss",
        "cross-entropy-on-quantity",
        bases.FC_FRIEDMAN,
        0,
        loss=nn.CrossEntropyLoss(),
    ),
    *sick(
        "improper-loss",
        "cross-entropy-on-quantities",
        bases.CNN_EXCHANGE,
        1,
        loss=F.cross_entropy,
    ),
    *sick(
        "improper-loss",
        "mse-on-class-numbers",
        bases.RNN_DIGITS,
        2,
        model=partial(Recurrent, nn.RNN, 8, 1),
        **_numbers(bases.RNN_DIGITS),
    ),
    *sick(
        "improper-loss",
        "mse-on-class-numbers",
        bases.FC_MNIST,
        10,
        model=partial(mlp, 196, 1),
        **_numbers(bases.FC_MNIST),
    ),
    *sick(
        "improper-loss",
        "mse-on-class-numbers",
        bases.CNN_CIFAR10,
        11,
        model=partial(cnn, 3, 1),
        **_numbers(bases.CNN_CIFAR10),
    ),
    *sick(
        "improper-loss",
        "cross-entropy-of-one-output",
        bases.TRANSFORMER_IMDB,
        12,
        loss=nn.CrossEntropyLoss(),
    ),
    *sick(
        "improper-loss",
        "cross-entropy-on-quantities",
        bases.FC_EXCHANGE,
        10,
        loss=nn.CrossEntropyLoss(),
    ),
    *sick(
        "improper-loss",
        "cross-entropy-on-quantities",
        bases.TRANSFORMER_EXCHANGE,
        11,
        loss=F.cross_entropy,
    ),
]
