"""Inputs and targets in unusual units that do no harm."""

from __future__ import annotations

import torch
from torch import nn

from ...data import changes
from ...optimizers import adam, cosine
from ...plan import Plan
from ...recipe import Recipe, healthy
from .. import bases


def _inputs_to(plan: Plan, highest: float) -> Plan:
    return plan.but(source=plan.data(changes.zero_to(highest)))


def _targets(plan: Plan, factor: float, offset: float, rate: float) -> Plan:
    return plan.but(
        source=plan.data(changes.target_scaled(factor, offset)),
        optimizer=adam(rate),
        scheduler=cosine(),
    )


@torch.no_grad()
def _small_head(model: nn.Sequential) -> None:
    """A last layer that starts small enough for small targets."""
    for parameter in model[-1].parameters():
        parameter.mul_(0.01)


RECIPES: list[Recipe] = [
    *healthy("inputs-0-1", _inputs_to(bases.VGG_MNIST.but(optimizer=adam(3e-3)), 1.0), 35),
    *healthy("counts-0-16", _inputs_to(bases.SEPARABLE_DIGITS, 16.0), 35),
    *healthy("targets-x50", _targets(bases.FUNNEL_HOUSING, 50.0, 30.0, 2e-2), 35),
    *healthy("targets-x200", _targets(bases.TCN_EXCHANGE, 200.0, 0.0, 2e-2), 35),
    *healthy(
        "targets-x0.001",
        _targets(bases.FUNNEL_HOUSING, 1e-3, 0.0, 1e-3).but(prepare=_small_head),
        36,
    ),
]
