"""Looking at what a model is given and gives while a fault is there."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

import paramedic


class Echo(nn.Module):
    """Gives back what it was given, and has a parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return x


def given(slug: str, inputs: Tensor, **settings: Any) -> Tensor:
    """What reaches a model instead of `inputs`."""
    model = Echo()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    kept = inputs.clone()
    with paramedic.inject(model, optimizer, slug, at=0, **settings):
        found: Tensor = model(inputs)
    assert torch.equal(inputs, kept)  # the user's own tensor is not written to
    return found
