"""Workers: legs that other processes train are as if they were trained here."""

from __future__ import annotations

from pathlib import Path

from paramedic.treat.heal.attempt import Attempt, Watchfulness
from paramedic.treat.heal.workers import run_apart
from tests.treat.plans import plan


def test_a_leg_of_another_process_is_the_same(tmp_path: Path) -> None:
    here = Attempt(0, plan(epochs=1))
    apart = [Attempt(number, plan(epochs=1), folder=tmp_path / str(number)) for number in (1, 2)]
    run_apart(apart, [6, 9], Watchfulness(), workers=2)
    assert all(one.is_recorded for one in apart)
    expected = [here.advance(step, Watchfulness()).point for step in (6, 9)]
    found = [one.advance(step, Watchfulness()) for one, step in zip(apart, (6, 9), strict=True)]
    assert [leg.point.metric for leg in found] == [point.metric for point in expected]
