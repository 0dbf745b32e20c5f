"""Details are in `test_gradients.py`."""

from __future__ import annotations

import torch

from ..patients import train


def test_twenty_times_for_one_step() -> None:
    healthy, sick = train(4), train(4, "exploding-gradient", at=3)
    torch.testing.assert_close(sick.gradients[3], 20 * healthy.gradients[3])
    assert sick.log == [(3, "exploding-gradient: the gradients of all layers times 20")]
