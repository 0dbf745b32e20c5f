from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from paramedic.probe.isolation import isolated
from paramedic.vocabulary import INTERNAL


def test_an_error_is_told_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "paramedic"), isolated("part"):
        raise KeyError("x")
    assert [record.getMessage() for record in caplog.records] == [
        "Paramedic switched off its part `part` after an internal error (KeyError: 'x'); "
        "training goes on."
    ]
    assert getattr(caplog.records[0], INTERNAL)


def test_what_ends_the_program_ends_it() -> None:
    with pytest.raises(KeyboardInterrupt), isolated("part"):
        raise KeyboardInterrupt


def test_it_needs_no_torch() -> None:
    code = "import sys, paramedic.probe.isolation; print({'torch', 'numpy'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
