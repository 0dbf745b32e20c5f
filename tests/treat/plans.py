"""Small plans that tests are made of."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

import paramedic


def points(count: int = 256, seed: int = 0, classes: int = 2) -> tuple[Tensor, Tensor]:
    """Points in the plane; the label is the sector they lie in."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 2, generator=generator)
    angle = torch.atan2(x[:, 1], x[:, 0]) + torch.pi
    return x, (angle / (2 * torch.pi) * classes).long().clamp(max=classes - 1)


def network(activation: type[nn.Module] = nn.ReLU, width: int = 16, depth: int = 2) -> nn.Module:
    """A fully connected network with the same weights each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        layers: list[nn.Module] = [nn.Linear(2, width), activation()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), activation()]
        return nn.Sequential(*layers, nn.Linear(width, 2))


def plan(**changes: Any) -> paramedic.Plan:
    """A plan that trains well, with what a test wants to be different."""
    values: dict[str, Any] = {
        "model": network(),
        "loss": nn.CrossEntropyLoss(),
        "optimizer": (torch.optim.Adam, {"lr": 0.01}),
        "train": points(),
        "validation": points(128, seed=1),
        "epochs": 6,
        "batch_size": 16,
    }
    return paramedic.Plan(**{**values, **changes})
