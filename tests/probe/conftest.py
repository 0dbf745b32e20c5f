from __future__ import annotations

import pytest

from paramedic.probe import native


@pytest.fixture(params=["native", "numpy"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to compute statistics: by the native kernel, and by NumPy where there is none."""
    if request.param == "numpy":
        monkeypatch.setattr(native, "kernel", None)
    elif native.kernel is None:
        pytest.skip("the native kernel was not built")
    return str(request.param)
