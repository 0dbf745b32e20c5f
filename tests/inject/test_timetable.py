"""When a fault is there."""

from __future__ import annotations

import math
from typing import Any

import pytest

from paramedic.inject.fault import InjectionError
from paramedic.inject.timetable import Timetable


def _steps(timetable: Timetable, until: int) -> dict[int, int]:
    found = {step: timetable.occasion(step) for step in range(until)}
    return {step: number for step, number in found.items() if number is not None}


def test_one_step() -> None:
    assert _steps(Timetable(5), 100) == {5: 0}


def test_the_pattern_of_training_doctor() -> None:
    assert _steps(Timetable(500, 2000, 2), 10_000) == {500: 0, 2500: 1}


def test_each_occasion_lasts() -> None:
    assert _steps(Timetable(2, 4, 2, 3), 30) == {2: 0, 3: 0, 4: 0, 6: 1, 7: 1, 8: 1}


def test_to_the_end() -> None:
    assert _steps(Timetable(7, duration=math.inf), 10) == {7: 0, 8: 0, 9: 0}


def test_an_interval_for_a_single_occasion_is_harmless() -> None:
    assert _steps(Timetable(1, 3, 1, math.inf), 6) == {1: 0, 2: 0, 3: 0}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"at": -1}, "`at` must be a whole number of at least 0 but got -1"),
        ({"at": 1.5}, "`at` must be a whole number of at least 0 but got 1.5"),
        ({"times": 0, "every": 5}, "`times` must be a whole number of at least 1 but got 0"),
        ({"every": True}, "`every` must be a whole number of at least 1 but got True"),
        ({"duration": 0}, "`duration` must be a whole number of at least 1 but got 0"),
        ({"times": 2}, "`times=2` needs `every`"),
        ({"times": 2, "every": 5, "duration": math.inf}, "lasts to the end, so it cannot begin"),
        (
            {"times": 2, "every": 5, "duration": 6},
            "lasts 6 steps, so it cannot begin again every 5",
        ),
    ],
)
def test_what_cannot_be_is_said(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InjectionError, match=message):
        Timetable(**settings)
