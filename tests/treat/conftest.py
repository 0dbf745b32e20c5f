from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def _same_weights() -> None:
    """Models start from the same weights in every run of the tests."""
    torch.manual_seed(0)
