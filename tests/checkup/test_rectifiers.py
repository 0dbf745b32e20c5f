from __future__ import annotations

import torch
from torch import Tensor, nn

from paramedic.checkup.rectifiers import Rectifiers

from .case import normal


def dead(model: nn.Module, x: Tensor) -> dict[str, float]:
    watcher = Rectifiers(model)
    with torch.no_grad(), watcher.place.followed(), watcher:
        model(x)
    return watcher.dead


def test_share_of_silent_units() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
    with torch.no_grad():
        model[0].bias[:6] = -100
    share = dead(model, normal(64, 4))["1"]
    assert share == 0.75


def test_channels_are_the_units_of_images() -> None:
    model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU())
    with torch.no_grad():
        model[0].bias[:2] = -100
    assert dead(model, normal(4, 1, 9, 9)) == {"1": 0.25}


def test_few_units_tell_nothing() -> None:
    model = nn.Sequential(nn.Linear(4, 2), nn.ReLU())
    with torch.no_grad():
        model[0].bias.fill_(-100)
    assert dead(model, normal(9, 4)) == {"1": 0.0}
