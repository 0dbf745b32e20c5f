"""Losses that do not fit the task."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ....data import changes
from ....optimizers import adam
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases
from ..networks.pictures import lenet
from ..networks.tables import DeepSets


def _as_number(plan: Plan, seed: int, model: partial[nn.Module]) -> list[Recipe]:
    """The class as a quantity: one output, squared error."""
    return sick(
        "improper-loss",
        "mse-on-class-numbers",
        plan,
        seed,
        model=model,
        source=plan.data(changes.targets(lambda y: y.float().reshape(-1, 1))),
        loss=F.mse_loss,
        scoring="class-numbers",
    )


def _cross_entropy(plan: Plan, seed: int, form: str) -> list[Recipe]:
    return sick("improper-loss", f"cross-entropy-{form}", plan, seed, loss=nn.CrossEntropyLoss())


_DIGITS_ADAM = bases.LENET_DIGITS.but(optimizer=adam(3e-3))
_COLOURS_ADAM = bases.SETS_COLOURS.but(optimizer=adam(3e-3))

RECIPES: list[Recipe] = [
    *_as_number(_DIGITS_ADAM, 40, partial(lenet, 8, 1)),
    *_as_number(_COLOURS_ADAM, 41, partial(DeepSets, 3, 1)),
    *_cross_entropy(bases.TOWERS_PAIRS, 42, "of-one-output"),
    *_cross_entropy(bases.SETS_SPREAD, 43, "on-quantity"),
]
