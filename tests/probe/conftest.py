from __future__ import annotations

import pytest
import torch

from paramedic.probe import native


@pytest.fixture(autouse=True)
def _same_weights() -> None:
    """Models start from the same weights in every run of the tests."""
    torch.manual_seed(0)


@pytest.fixture(params=["native", "numpy"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to compute statistics: by the native kernel, and by NumPy where there is none."""
    if request.param == "numpy":
        monkeypatch.setattr(native, "kernel", None)
    elif native.kernel is None:
        pytest.skip("the native kernel was not built")
    return str(request.param)
