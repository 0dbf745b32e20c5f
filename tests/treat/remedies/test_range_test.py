from __future__ import annotations

import pytest
import torch

from paramedic.treat.remedies.range_test import RangeTest, suited
from paramedic.treat.remedies.reading import rate
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding

SGD, ADAM = torch.optim.SGD, torch.optim.Adam


def test_the_range_test_finds_a_rate_that_trains_and_counts_its_steps() -> None:
    slow = plan(optimizer=(ADAM, {"lr": 1e-7}), epochs=60)
    treated = RangeTest().apply(slow, finding("learning-rate-too-low"))
    assert 1e-4 < rate(treated.plan) <= 0.01
    assert 20 <= treated.steps <= 60
    with pytest.raises(Refusal, match="a range test finds"):
        RangeTest().apply(slow, finding("learning-rate-too-high"))


def test_the_fall_must_be_clear() -> None:
    rates = [10.0 ** (step / 4 - 4) for step in range(24)]
    noisy = [1.0 + 0.1 * (-1) ** step for step in range(24)]
    assert suited(rates, noisy) is None
    assert suited(rates[:4], noisy[:4]) is None
    falling = [1.0] * 12 + [1.0 - 0.1 * step for step in range(6)] + [3.0] * 6
    found = suited(rates, falling)
    assert found is not None
    assert rates[14] < 10 * found < rates[18]
