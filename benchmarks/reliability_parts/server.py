"""The live page under a crowd, and before somebody who has no token."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from reliability_parts.sizes import Sizes
from tests.report.live.crowd import BOUNDED, WHOLE
from tests.report.live.load import load


def measure(sizes: Sizes) -> dict[str, Any]:
    """The crowd of `make stress-live`."""
    crowd = WHOLE if sizes.whole else BOUNDED
    with tempfile.TemporaryDirectory() as folder:
        found = load(Path(folder), crowd)
    return {
        "half_open": crowd.half_open,
        "listeners": crowd.listeners,
        "runs": crowd.runs,
        "heard": found.heard,
        "slowest": round(found.slowest, 3),
        "seconds": {name: round(max(times), 3) for name, times in found.seconds.items()},
        "refused": found.refused,
        "megabytes": round(found.megabytes),
        "ended": round(found.ended, 2),
        "errors": found.errors,
        "slowness": round(found.slowness, 2),
    }
