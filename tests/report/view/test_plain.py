from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paramedic.report.view.plain import plain
from paramedic.types import Event, Severity


@dataclass
class _Pair:
    left: object
    right: object


def test_everything_becomes_plain() -> None:
    assert plain(_Pair(np.array([1.0, np.nan]), Severity.INFO)) == {
        "left": [1.0, None], "right": "info",
    }  # fmt: skip
    assert plain({"a": (1, math.inf)}) == {"a": [1, None]}
    assert plain(np.float32(0.5)) == 0.5
    assert plain(np.arange(4).reshape(2, 2)) == [[0, 1], [2, 3]]
    assert plain(Path("a/b")) == "a/b"
    assert plain(Event(1, "jump", "x")) == {"step": 1, "kind": "jump", "message": "x", "data": {}}


def test_no_more_digits_than_pixels() -> None:
    assert plain(np.array([0.123456789])) == [0.12346]
    assert plain(1234567.0) == 1234600.0
    assert plain(1234567) == 1234567
