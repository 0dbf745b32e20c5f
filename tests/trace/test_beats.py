from __future__ import annotations

import math

import pytest

from paramedic.trace.beats import Beats


@pytest.mark.parametrize("count", [0, 1, 4, 5, 8, 9, 100])
def test_the_last_ones_are_remembered(count: int) -> None:
    beats = Beats(4)
    for step in range(count):
        beats.add(step, step / 2, step % 2 == 0, step % 3 == 0)
    pulse = beats.pulse()
    expected = list(range(count))[-4:]
    assert pulse.step.tolist() == expected
    assert pulse.loss.tolist() == [step / 2 for step in expected]
    assert pulse.finite.tolist() == [step % 2 == 0 for step in expected]
    assert pulse.skipped.tolist() == [step % 3 == 0 for step in expected]


def test_what_was_handed_out_never_changes() -> None:
    beats = Beats(4)
    for step in range(4):
        beats.add(step, float(step), True, False)
    held = beats.pulse()
    for step in range(4, 50):
        beats.add(step, math.nan, False, True)
    assert held.step.tolist() == [0, 1, 2, 3]
    assert held.loss.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_views_are_read_only() -> None:
    beats = Beats(2)
    beats.add(0, 1.0, True, False)
    pulse = beats.pulse()
    for array in (pulse.step, pulse.loss, pulse.finite, pulse.skipped):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_newest_can_be_amended() -> None:
    beats = Beats(2)
    assert beats.amend(1.0, True) is None
    for step in range(5):
        beats.add(step, 0.0, True, False)
    assert beats.amend(math.inf, False) == 4
    assert beats.pulse().loss.tolist() == [0.0, math.inf]
    assert beats.pulse().finite.tolist() == [True, False]
