from __future__ import annotations

from collections.abc import Callable

import pytest

import paramedic.trace


def test_everything_promised_is_there() -> None:
    assert paramedic.trace.__all__ == sorted(paramedic.trace.__all__)
    for name in paramedic.trace.__all__:
        assert hasattr(paramedic.trace, name)


@pytest.mark.parametrize("module", ["torch", "pyarrow", "pickle"])
def test_importing_it_does_not_load(module: str, run_python: Callable[..., str]) -> None:
    # numpy itself loads pickle, so what counts is what comes on top of it.
    script = (
        "import sys, numpy, json, sqlite3, logging, typing\n"
        "before = set(sys.modules)\n"
        "import paramedic.trace\n"
        "print(sys.argv[1] in set(sys.modules) - before)"
    )
    assert run_python(script, module).strip() == "False"


def test_that_check_can_fail(run_python: Callable[..., str]) -> None:
    script = (
        "import sys, numpy\nbefore = set(sys.modules)\nimport pyarrow\n"
        "print('pyarrow' in set(sys.modules) - before)"
    )
    assert run_python(script).strip() == "True"
