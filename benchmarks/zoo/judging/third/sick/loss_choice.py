"""Losses that do not fit the task."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data import changes
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases
from ..networks.pictures import squeezed
from ..networks.tables import Crossed


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


def _cross_entropy(plan: Plan, seed: int, form: str) -> list[Recipe]:
    return sick("improper-loss", f"cross-entropy-{form}", plan, seed, loss=nn.CrossEntropyLoss())


RECIPES: list[Recipe] = [
    *_as_number(bases.CROSSED_FOREST, 60, partial(Crossed, 20, 1), nn.MSELoss()),
    *_as_number(bases.SQUEEZED_MNIST, 61, partial(squeezed, 1, 1, blocks=2), nn.HuberLoss()),
    *_cross_entropy(bases.CROSSED_ALARMS, 62, "of-one-output"),
]
