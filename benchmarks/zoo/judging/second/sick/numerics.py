"""Numbers that stop being finite, each born in another place."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from ....faults import input_of_step, inputs_replaced_from
from ....optimizers import sgd
from ....recipe import Recipe, sick
from .. import bases
from ..networks.tables import TwoTowers

ONSET = 100
_DATA = ("abnormal-data",)


class DistantTowers(TwoTowers):
    """Compares by the distance itself: at zero, as for two equal members, its slope is 0/0."""

    def forward(self, x: Tensor) -> Tensor:
        one, other = self.tower(x).unbind(1)
        distance = torch.sqrt((one - other).square())
        return self.head(self.compare(distance))


class RelativeError(nn.Module):
    """The error as a share of the target, whatever the target is."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return ((output - target) / target.round(decimals=2)).abs().mean()


def _with_a_copy(x: Tensor) -> Tensor:
    """The first pair of the batch is one member twice."""
    x = x.clone()
    x[0, 1] = x[0, 0]
    return x


_CIRCUIT_ERROR = bases.MAXOUT_CIRCUIT.but(loss=nn.L1Loss(), optimizer=sgd(0.01, 0.9))


def _distant() -> nn.Module:
    return DistantTowers(bases.PAIR_FEATURES, 1)


_COPIES = bases.TOWERS_PAIRS.but(tamper=inputs_replaced_from(ONSET, _with_a_copy))

RECIPES: list[Recipe] = [
    *sick("non-finite", "slope-of-distance", _COPIES, 40, (), ONSET, model=_distant),
    *sick("non-finite", "division-by-target", _CIRCUIT_ERROR, 41, loss=RelativeError()),
    *sick(
        "non-finite",
        "nan-batch",
        bases.GRU_ADDING,
        42,
        _DATA,
        ONSET,
        tamper=input_of_step(ONSET, math.nan),
    ),
    *sick(
        "non-finite",
        "float16-overflow",
        bases.LENET_DIGITS,
        43,
        _DATA,
        ONSET,
        autocast=torch.float16,
        tamper=inputs_replaced_from(ONSET, lambda x: x * 1e6),
    ),
]
