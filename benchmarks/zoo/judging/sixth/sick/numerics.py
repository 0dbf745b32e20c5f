"""Numbers that stop being finite, each born in another place."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from ....data.gathered import STRAW_FEATURES
from ....faults import inputs_replaced_from
from ....recipe import Recipe, sick
from .. import bases
from ..networks.others import GatedPooling

ONSET = 100
_DATA = ("abnormal-data",)


class Whitened(GatedPooling):
    """Divides a bag by the deviation of its members, which is zero if they are all the same."""

    def __init__(self, features: int, outputs: int, *, guard: float) -> None:
        super().__init__(features, outputs)
        self.guard = guard

    def forward(self, x: Tensor) -> Tensor:
        apart = x - x.mean(1, keepdim=True)
        spread = apart.square().mean((1, 2), keepdim=True)
        return super().forward(apart / torch.sqrt(spread + self.guard))


def _one_copied(x: Tensor) -> Tensor:
    """The members of the first bag are copies of one."""
    x = x.clone()
    x[0] = x[0, :1]
    return x


_NEEDLES = bases.POOLED_NEEDLES.but(
    model=partial(Whitened, STRAW_FEATURES, 1, guard=1e-6),
    tamper=inputs_replaced_from(ONSET, _one_copied),
)
RECIPES: list[Recipe] = [
    *sick(
        "non-finite",
        "deviation-of-copies",
        _NEEDLES,
        150,
        _DATA,
        ONSET,
        model=partial(Whitened, STRAW_FEATURES, 1, guard=0.0),
    ),
]
