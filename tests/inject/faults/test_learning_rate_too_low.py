"""Details are in `test_rates.py`."""

from __future__ import annotations

import pytest

from ..patients import train


def test_a_thousandth_from_then_on() -> None:
    run = train(6, "learning-rate-too-low", at=4, watch="after")
    assert run.monitor.window().scalar("lr/0").tolist() == pytest.approx([0.05] * 4 + [5e-5] * 2)
    assert run.log == [(4, "learning-rate-too-low: the learning rate times 0.001")]
