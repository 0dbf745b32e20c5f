"""A process that is killed at any moment, while it makes its trace too, leaves traces that open."""

from __future__ import annotations

import os

import pytest

from tests.trace.killing import kill

WHOLE = os.environ.get("PARAMEDIC_STRESS") == "whole"


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is a thing of POSIX")
def test_each_trace_opens() -> None:
    kills = 200 if WHOLE else 20
    totals = kill(kills)
    assert totals["kills"] == kills
    assert totals["refused"] == 0
    assert totals["traces"] >= kills
    assert totals["empty"] < totals["traces"]
