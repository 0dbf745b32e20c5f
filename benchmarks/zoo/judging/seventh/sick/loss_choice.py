"""Losses that do not fit the task."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ....data import changes
from ....data.sequences import SYMBOLS
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases
from ..networks.pictures import dense
from ..networks.sequences import Readers


def _as_number(plan: Plan, seed: int, model: partial[nn.Module], loss: nn.Module) -> list[Recipe]:
    """The class as a quantity: one output and a loss for quantities."""
    return sick(
        "improper-loss",
        "quantity-of-class",
        plan,
        seed,
        model=model,
        source=plan.data(changes.targets(lambda y: y.float().reshape(-1, 1))),
        loss=loss,
        scoring="class-numbers",
    )


RECIPES: list[Recipe] = [
    *_as_number(bases.DENSE_MNIST, 200, partial(dense, 1, 1), nn.MSELoss()),
    *_as_number(
        bases.READERS_MAJORITY, 201, partial(Readers, SYMBOLS, 1, symbols=True), nn.SmoothL1Loss()
    ),
    *sick(
        "improper-loss",
        "cross-entropy-of-many-labels",
        bases.GROUPED_TAGS,
        202,
        loss=F.cross_entropy,
    ),
]
