"""The public face: few names, quick to import, and no heavy package behind it."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

import paramedic

HEAVY = ["torch", "optuna", "ray", "starlette", "pandas", "pyarrow", "typer", "jinja2"]


def _fresh(code: str) -> str:
    """Run code in a fresh interpreter."""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return result.stdout.strip()


def _loaded_after(code: str) -> list[str]:
    heavy = f"[name for name in {HEAVY} if name in sys.modules]"
    return _fresh(f"import sys\n{code}\nprint(','.join({heavy}))").split(",")


def test_importing_loads_nothing_heavy() -> None:
    assert _loaded_after("import paramedic") == [""]


def test_reading_a_trace_needs_no_torch() -> None:
    assert _loaded_after("import paramedic; paramedic.Trace") == [""]


def test_this_test_can_fail() -> None:
    assert _loaded_after("import paramedic; paramedic.watch") == ["torch"]


def test_importing_is_fast() -> None:
    timed = "from time import time; begin = time(); import paramedic; print(time() - begin)"
    assert statistics.median(float(_fresh(timed)) for _ in range(5)) < 0.3


def test_public_names_are_what_they_say() -> None:
    assert sorted(paramedic.__all__) == list(paramedic.__all__)
    for name in paramedic.__all__:
        assert getattr(paramedic, name) is not None
    assert len(paramedic.__all__) <= 10
    assert dir(paramedic) == sorted(paramedic.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'wacth'"):
        _ = paramedic.wacth
