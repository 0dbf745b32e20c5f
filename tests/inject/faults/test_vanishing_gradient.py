"""Details are in `test_gradients.py`."""

from __future__ import annotations

import torch

from ..patients import train


def test_next_to_nothing_for_one_step() -> None:
    healthy, sick = train(4), train(4, "vanishing-gradient", at=3)
    torch.testing.assert_close(1e8 * sick.gradients[3], healthy.gradients[3])
    assert sick.log == [(3, "vanishing-gradient: the gradients of all layers times 1e-08")]
