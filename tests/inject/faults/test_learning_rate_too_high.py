"""Details are in `test_rates.py`."""

from __future__ import annotations

import pytest

from ..patients import train


def test_a_hundred_times_from_then_on() -> None:
    run = train(6, "learning-rate-too-high", at=4, watch="before")
    assert run.monitor.window().scalar("lr/0").tolist() == pytest.approx([0.05] * 4 + [5.0] * 2)
    assert run.log == [(4, "learning-rate-too-high: the learning rate times 100")]
