"""Losses that do not fit the task."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data import changes
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases
from ..networks.pictures import coordinates
from ..networks.tables import Looped


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
    *_as_number(bases.COORDINATES_DIGITS, 110, partial(coordinates, 1, 1, blocks=2), nn.L1Loss()),
    *_as_number(bases.LOOPED_DIGITS, 111, partial(Looped, 64, 1, width=48, loops=3), nn.MSELoss()),
    *sick(
        "improper-loss",
        "cross-entropy-of-many-labels",
        bases.FOURIER_SPECTRA,
        112,
        loss=nn.CrossEntropyLoss(),
    ),
]
