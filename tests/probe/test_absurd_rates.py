"""The example of the README with absurd learning rates, at the defaults: never called learning."""

from __future__ import annotations

import pytest
import torch

import paramedic
from paramedic.types import Verdict


@pytest.mark.parametrize("rate", [10.0, 30.0])
@pytest.mark.parametrize("seed", range(16))
def test_an_absurd_rate_is_seen(seed: int, rate: float) -> None:
    """Sixteen seeds each: diverged, or not learning."""
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    with paramedic.watch(model, optimizer, trace=None) as monitor:
        for _ in range(1000):
            x = torch.randn(64, 10)
            loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert monitor.conclusion.verdict in (Verdict.DIVERGED, Verdict.NOT_LEARNING)
