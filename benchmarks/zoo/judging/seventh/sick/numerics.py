"""Numbers that stop being finite, each born in another place."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from ....data.invented import LIQUIDS
from ....faults import input_of_step, inputs_replaced_from
from ....recipe import Recipe, sick
from .. import bases
from ..networks.sequences import Nearest
from ..networks.tables import bilinear

ONSET = 90
_DATA = ("abnormal-data",)


class Directed(Nearest):
    """Sees only the directions to the nearest points, which two equal points do not have."""

    def __init__(self, inputs: int, outputs: int, *, guard: float) -> None:
        super().__init__(inputs, outputs)
        self.guard = guard

    def edges(self, x: Tensor) -> Tensor:
        own, away = super().edges(x).chunk(2, -1)
        length = torch.sqrt(away.square().sum(-1, keepdim=True) + self.guard)
        return torch.cat([own, away / length], -1)


def _doubled(x: Tensor) -> Tensor:
    """The second point of the first bag is a copy of the first."""
    x = x.clone()
    x[0, 1] = x[0, 0]
    return x


_SPREAD = bases.NEAREST_SPREAD.but(
    model=partial(Directed, 2, 1, guard=1e-6), tamper=inputs_replaced_from(ONSET, _doubled)
)


class Logarithms(torch.nn.Module):
    """A network on the logarithms of what it is given."""

    def __init__(self, *, guard: float) -> None:
        super().__init__()
        self.body = bilinear(LIQUIDS, 1)
        self.guard = guard

    def forward(self, x: Tensor) -> Tensor:
        return self.body(torch.log((x + 3).clamp(min=self.guard)))


_LIQUIDS = bases.BILINEAR_LIQUIDS.but(
    model=partial(Logarithms, guard=0.1),
    tamper=inputs_replaced_from(ONSET, lambda x: torch.cat([-3 * torch.ones_like(x[:1]), x[1:]])),
)

RECIPES: list[Recipe] = [
    *sick(
        "non-finite",
        "direction-of-copies",
        _SPREAD,
        200,
        _DATA,
        ONSET,
        model=partial(Directed, 2, 1, guard=0.0),
    ),
    *sick(
        "non-finite",
        "logarithm-of-nothing",
        _LIQUIDS,
        201,
        _DATA,
        ONSET,
        model=partial(Logarithms, guard=0.0),
    ),
    *sick(
        "non-finite",
        "one-reading-missing",
        bases.DENSE_CLOCKS,
        202,
        _DATA,
        ONSET,
        tamper=input_of_step(ONSET, float("nan")),
    ),
]
