"""A plan that does not train: ten layers of sigmoids, through which no gradient comes.

    paramedic heal examples/sick_plan.py

`paramedic heal` calls `plan()`, trains it, finds what is wrong, and repairs it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

import paramedic


def rings(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Points on two rings around each other; the label is the ring."""
    generator = torch.Generator().manual_seed(seed)
    angle = 2 * torch.pi * torch.rand(count, generator=generator)
    ring = torch.arange(count) % 2
    radius = 1.0 + ring + 0.1 * torch.randn(count, generator=generator)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1), ring


def network() -> nn.Module:
    """Ten hidden layers."""
    layers: list[nn.Module] = []
    for width in [2] + 9 * [16]:
        layers += [nn.Linear(width, 16), nn.Sigmoid()]
    return nn.Sequential(*layers, nn.Linear(16, 2))


def plan() -> paramedic.Plan:
    """What `paramedic heal` trains."""
    return paramedic.Plan(
        model=network,
        loss=nn.CrossEntropyLoss(),
        optimizer=(torch.optim.SGD, {"lr": 0.1}),
        train=rings(1000, seed=1),
        validation=rings(400, seed=2),
        epochs=20,
        batch_size=32,
    )
