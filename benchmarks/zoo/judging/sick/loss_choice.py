"""Losses that do not fit the task."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ...data import changes
from ...data.sequences import SYMBOLS
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases
from ..networks.pictures import VisionTransformer, vgg
from ..networks.sequences import BothWays
from ..networks.tables import funnel


def _as_number(plan: Plan, seed: int, model: partial[nn.Module]) -> list[Recipe]:
    """The class as a quantity: one output, squared error."""
    return sick(
        "improper-loss",
        "mse-on-class-numbers",
        plan,
        seed,
        source=plan.data(changes.targets(lambda y: y.float().reshape(-1, 1))),
        model=model,
        loss=F.mse_loss,
        scoring="class-numbers",
    )


def _cross_entropy(plan: Plan, seed: int, form: str) -> list[Recipe]:
    return sick("improper-loss", f"cross-entropy-{form}", plan, seed, loss=nn.CrossEntropyLoss())


RECIPES: list[Recipe] = [
    *_as_number(bases.FUNNEL_FOREST, 20, partial(funnel, 20, 1, widths=(96, 48, 24))),
    *_as_number(bases.VGG_MNIST, 21, partial(vgg, 1, 1)),
    *_as_number(
        bases.VIT_DIGITS, 22, partial(VisionTransformer, 1, 1, patch=2, patches=16, layers=1)
    ),
    *_as_number(bases.BOTH_MAJORITY, 20, partial(BothWays, SYMBOLS, 1)),
    *_cross_entropy(bases.WIDE_CANCER, 20, "of-one-output"),
    *_cross_entropy(bases.FACTORS_SHOP, 21, "of-one-output"),
    *_cross_entropy(bases.FUNNEL_HOUSING, 22, "on-quantity"),
    *_cross_entropy(bases.TCN_EXCHANGE, 20, "on-quantities"),
]
