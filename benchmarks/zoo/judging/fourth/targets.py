"""Losses and labels that do not fit the task."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn

from ...data import changes
from ...plan import Plan
from ...recipe import Recipe, sick
from ..third import bases
from ..third.networks.pictures import large_kernels
from ..third.networks.sequences import Asking


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


IMPROPER_LOSS: list[Recipe] = [
    *_as_number(bases.ASKING_DIGITS, 90, partial(Asking, 8, 1), nn.MSELoss()),
    *_as_number(bases.KERNELS_TEXTURES, 91, partial(large_kernels, 1, 1), nn.SmoothL1Loss()),
]

INVALID: list[Recipe] = [
    *sick(
        "invalid-labels",
        "one-class-only",
        bases.POINTER_POINTING,
        90,
        source=bases.POINTER_POINTING.data(changes.train_targets(lambda y: torch.full_like(y, 7))),
    ),
    *sick(
        "invalid-labels",
        "missing-as-minus-999",
        bases.SINES_TERRAIN,
        91,
        ("gradient-instability", "abnormal-data"),
        source=bases.SINES_TERRAIN.data(changes.share_of_targets(0.02, -999.0)),
    ),
]

RECIPES = IMPROPER_LOSS + INVALID
