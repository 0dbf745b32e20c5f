"""What is kept for all windows with the same frames must not depend on anything else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import paramedic
from paramedic.diagnose import jumps, motion, rows
from paramedic.types import Window
from tests.diagnose.windows import window

SOURCE = Path(paramedic.__file__).parent
NAMED = sorted(
    {
        name
        for path in SOURCE.rglob("*.py")
        for name in re.findall(r"window\.of_frames\((\w+)", path.read_text(encoding="utf-8"))
    }
)
ARGUMENTS = {"_measured": ["grad_norm"], "_scalars": ["loss"]}


class Forbidden:
    """Nobody may look at it."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"`{name}` was read")

    def __len__(self) -> int:
        raise AssertionError("its length was read")

    def __iter__(self) -> Any:
        raise AssertionError("it was walked through")

    __reversed__ = __getitem__ = __iter__


def _found(name: str) -> Callable[..., Any]:
    return next(getattr(room, name) for room in (rows, motion, jumps) if hasattr(room, name))


def _frames() -> Window:
    layers = ("grad_norm", "update_ratio", "weight_norm", "act_dead", "act_saturated")
    many = [float(number) for number in range(1, 25)]
    table = [[one, one + 1] for one in many]
    return window(scalars={"loss": many, "grad_norm": many}, layers=dict.fromkeys(layers, table))


def test_there_are_some() -> None:
    assert {"motion", "jump", "moves", "_scalars"} <= set(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_only_frames_and_the_chart_are_read(name: str) -> None:
    forbidden: Any = Forbidden()
    blind = replace(_frames(), pulse=forbidden, epochs=forbidden, events=forbidden)
    _found(name)(blind, *ARGUMENTS.get(name, []))
