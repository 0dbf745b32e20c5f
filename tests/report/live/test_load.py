"""The server under load: a part of it here, all of it by `make stress-live`, which says so in the
environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs the extra `live`")

from tests.report.live.crowd import BOUNDED, WHOLE
from tests.report.live.load import Load, load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")

IS_WHOLE = os.environ.get("PARAMEDIC_STRESS") == "whole"
SIZES = WHOLE if IS_WHOLE else BOUNDED
LATEST = 1.0  # seconds until an answer, on a machine that does nothing else
MOST_MEGABYTES = 400 if IS_WHOLE else 200


def test_a_crowd_keeps_nobody_out(tmp_path: Path) -> None:
    found = load(tmp_path, SIZES)
    _tell(found)
    assert found.refused == {"60 kB of cookies": 431, "no token": 403}
    assert found.heard == SIZES.listeners, "somebody does not hear anything"
    assert found.slowest < LATEST * found.slowness
    assert found.megabytes < MOST_MEGABYTES
    assert found.ended < LATEST * found.slowness
    assert (found.code, found.errors) == (0, "")


def _tell(found: Load) -> None:
    for name, times in found.seconds.items():
        print(f"{name:30} worst of {len(times):2}: {max(times):.3f} s")  # noqa: T201
    print(f"memory {found.megabytes:.0f} MB, Ctrl-C {found.ended:.2f} s")  # noqa: T201
    print(f"This machine does other things, too: {found.slowness:.1f} times slower than alone.")  # noqa: T201
