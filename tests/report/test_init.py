from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "home", ["paramedic.report.display", "paramedic.report.run", "paramedic.report.closing"]
)
def test_importing_it_draws_nothing_from_the_stream_of_the_program(home: str) -> None:
    code = f"import random; random.seed(0); import {home}; print(random.random())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "0.8444218515250481\n"
