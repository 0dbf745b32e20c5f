from __future__ import annotations

import pytest
import torch

from ..patients import train
from .acting import given


def test_noise_of_a_thousand_spreads() -> None:
    # A generator of its own: the fault draws from seed 0, as another test may have set.
    inputs = 5 * torch.randn(64, 50, generator=torch.Generator().manual_seed(7))
    noise = given("abnormal-data", inputs)
    assert noise.std().item() == pytest.approx(5000, rel=0.05)
    assert abs(torch.corrcoef(torch.stack([noise.flatten(), inputs.flatten()]))[0, 1]) < 0.1


def test_inputs_without_spread() -> None:
    assert given("abnormal-data", torch.zeros(64, 50), factor=3).std().item() == pytest.approx(
        3, rel=0.05
    )


def test_half_precision_stays() -> None:
    assert given("abnormal-data", torch.ones(4, 4, dtype=torch.bfloat16)).dtype is torch.bfloat16


def test_tokens_stay_in_their_range() -> None:
    inputs = torch.arange(5, 25).repeat(10, 1)
    garbage = given("abnormal-data", inputs)
    assert garbage.dtype == inputs.dtype
    assert (garbage.min().item(), garbage.max().item()) == (5, 24)
    assert not torch.equal(garbage, inputs)


def test_one_step_and_no_more() -> None:
    run = train(8, "abnormal-data", at=3, watch="after")
    spread = run.monitor.window().scalar("input_std")
    assert (spread > 100).nonzero()[0].tolist() == [3]
