from __future__ import annotations

import torch

from ..patients import train
from .acting import given


def test_all_inputs_are_zero() -> None:
    assert torch.equal(given("dead-input", torch.randn(3, 2)), torch.zeros(3, 2))
    assert torch.equal(given("dead-input", torch.arange(3)), torch.zeros(3, dtype=torch.long))


def test_it_lasts_as_long_as_asked() -> None:
    run = train(8, "dead-input", at=3, duration=2, watch="before")
    assert (run.monitor.window().scalar("input_constant") == 1).nonzero()[0].tolist() == [3, 4]
