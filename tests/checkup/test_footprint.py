from __future__ import annotations

import torch
from torch import nn

from paramedic.checkup.footprint import Kept, Live

from .case import normal


def test_what_is_alive_at_once() -> None:
    x = normal(1000)
    with torch.no_grad(), Live() as live:
        y = x * 2
        y = y * 2
        y = y * 2
        del y
    # Two results at a time: the old one is let go when the new one has its name.
    assert live.most == 2 * 4000


def test_views_and_inputs_cost_nothing() -> None:
    x = normal(100, 10)
    with torch.no_grad(), Live() as live:
        kept = [x.t(), x[5:], x.view(-1)]
    assert live.most == 0
    assert len(kept) == 3


def test_what_autograd_keeps() -> None:
    model = nn.Sequential(nn.Linear(10, 20, bias=False), nn.Tanh(), nn.Linear(20, 5, bias=False))
    x = normal(50, 10)
    kept = Kept(model)
    with kept.counted():
        model(x).sum()
    # The input for the first product and the output of tanh, which serves twice; no weights.
    assert kept.bytes == 4 * (50 * 10 + 50 * 20)
