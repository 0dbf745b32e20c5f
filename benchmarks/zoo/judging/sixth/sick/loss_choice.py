"""Losses that do not fit the task."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data import changes
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases
from ..networks.others import asymmetric


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
    *_as_number(bases.ASYMMETRIC_SHAPES, 151, partial(asymmetric, 1, 1), nn.SmoothL1Loss()),
    *sick(
        "improper-loss",
        "cross-entropy-of-many-labels",
        bases.FACTORED_TAGS,
        153,
        loss=nn.CrossEntropyLoss(),
    ),
]
