"""Numbers that stop being finite, each born in another place."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn

from ....data.measured import sales
from ....faults import inputs_replaced_from
from ....recipe import Recipe, sick
from .. import bases
from ..networks.sequences import Pointer
from ..networks.tables import Crossed

ONSET = 90
_DATA = ("abnormal-data",)


class Angles(Pointer):
    """Looks at the angles of the candidates; of the origin the slope is 0/0."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x / torch.sqrt(x.square().sum(-1, keepdim=True)))


class SafeAngles(Pointer):
    """The same with a guard."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x / torch.sqrt(x.square().sum(-1, keepdim=True) + 1e-6))


def _one_in_origin(x: Tensor) -> Tensor:
    x = x.clone()
    x[0, 0] = 0
    return x


class SquaredLogarithms(nn.Module):
    """The error of logarithms, whatever sign the output has."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        return (torch.log(output) - torch.log(target)).square().mean()


_POINTING = bases.POINTER_POINTING.but(
    model=partial(SafeAngles, 2), tamper=inputs_replaced_from(ONSET, _one_in_origin)
)
_MONEY = bases.CROSSED_SALES.but(source=sales(), loss=nn.HuberLoss())

RECIPES: list[Recipe] = [
    *sick("non-finite", "angle-of-origin", _POINTING, 60, _DATA, ONSET, model=partial(Angles, 2)),
    *sick("non-finite", "logarithm-of-output", _MONEY, 61, loss=SquaredLogarithms()),
    *sick(
        "non-finite",
        "float16-overflow",
        bases.CROSSED_FOREST,
        63,
        _DATA,
        ONSET,
        model=partial(Crossed, 20, 6, crosses=0),
        autocast=torch.float16,
        tamper=inputs_replaced_from(ONSET, lambda x: 1e6 * x),
    ),
]
