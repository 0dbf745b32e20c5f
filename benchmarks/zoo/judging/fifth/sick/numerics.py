"""Numbers that stop being finite, each born in another place."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn

from ....faults import inputs_replaced_from
from ....recipe import Recipe, sick
from .. import bases
from ..networks.sequences import Relation
from ..networks.tables import Fields

ONSET = 100
_DATA = ("abnormal-data",)


class Distances(Relation):
    """Puts the distance of a pair beside it; of an object to itself the root has slope 1/0."""

    def __init__(self, features: int, outputs: int, *, guard: float) -> None:
        super().__init__(features, outputs)
        self.embed = nn.Linear(features, features)
        self.guard = guard

    def pairs(self, x: Tensor) -> Tensor:
        placed = self.embed(x)
        apart = placed[:, :, None] - placed[:, None]
        distance = torch.sqrt(apart.square().sum(-1, keepdim=True) + self.guard)
        return torch.cat([super().pairs(x)[..., :-1], distance], -1)


class Selected(Fields):
    """Gives each field a share by what is not missing (0); of nothing the share is 0/0."""

    def __init__(self, inputs: int, outputs: int, *, guard: float) -> None:
        super().__init__(inputs, outputs)
        self.guard = guard

    def tokens(self, x: Tensor) -> Tensor:
        there = (x != 0).float()
        share = there / (there.mean(1, keepdim=True) + self.guard)
        return super().tokens(x * share)


def _one_empty(x: Tensor) -> Tensor:
    x = x.clone()
    x[0] = 0
    return x


_SPREAD = bases.RELATION_SPREAD.but(model=partial(Distances, 2, 1, guard=1e-6))
_HOUSING = bases.FIELDS_HOUSING.but(
    model=partial(Selected, 8, 1, guard=1e-6), tamper=inputs_replaced_from(ONSET, _one_empty)
)

RECIPES: list[Recipe] = [
    *sick(
        "non-finite",
        "root-of-zero-distance",
        _SPREAD,
        110,
        model=partial(Distances, 2, 1, guard=0.0),
    ),
    *sick(
        "non-finite",
        "share-of-nothing",
        _HOUSING,
        111,
        _DATA,
        ONSET,
        model=partial(Selected, 8, 1, guard=0.0),
    ),
    *sick(
        "non-finite",
        "float16-overflow",
        bases.COORDINATES_DIGITS.but(model=bases.COORDINATES_DIGITS.remodel(norm=False)),
        112,
        _DATA,
        ONSET,
        autocast=torch.float16,
        tamper=inputs_replaced_from(ONSET, lambda x: 1e6 * x),
    ),
]
