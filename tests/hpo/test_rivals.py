from __future__ import annotations

import math

import pytest

from paramedic.hpo.memory import Memory
from paramedic.hpo.policy import Policy
from paramedic.hpo.rivals import (
    RIVALS,
    Asha,
    CurveExtrapolation,
    Diagnosed,
    Hyperband,
    MedianStop,
    Never,
    Patience,
    extrapolated,
)
from paramedic.hpo.timeline import Timeline
from paramedic.hpo.verdict import Decision
from tests.hpo.cases import visit


def trial(*values: float, number: int = 0) -> Timeline:
    return Timeline(number, values, tuple(float(place + 1) for place in range(len(values))))


def memory(*levels: float, epochs: int = 20) -> Memory:
    found = Memory(epochs, len(levels))
    for level in levels:
        found.add([level] * epochs, epochs)
    return found


FIVE = memory(1.0, 2.0, 3.0, 4.0, 5.0)


def test_never_ends_nothing() -> None:
    assert not list(Never().verdicts(trial(*[9.0] * 20), FIVE))


def test_the_median_rule_waits_for_the_warm_up_and_for_others() -> None:
    worse, better = trial(*[4.0] * 20), trial(*[2.0] * 20)
    assert not MedianStop().ends(worse, 2, FIVE)
    assert MedianStop().ends(worse, 3, FIVE)
    assert not MedianStop().ends(better, 3, FIVE)
    assert not MedianStop().ends(worse, 3, memory(1.0, 2.0, 3.0, 4.0))


def test_asha_judges_at_its_rungs() -> None:
    second, third = trial(*[1.5] * 20), trial(*[2.5] * 20)
    assert [epoch for epoch in range(1, 20) if Asha().ends(third, epoch, FIVE)] == [2, 6, 18]
    assert not any(Asha().ends(second, epoch, FIVE) for epoch in range(1, 20))


def test_the_brackets_of_hyperband_begin_at_different_ages() -> None:
    first = [
        next(epoch for epoch in range(1, 20) if Hyperband().ends(one, epoch, FIVE))
        for one in (trial(*[9.0] * 20, number=number) for number in range(3))
    ]
    assert first == [1, 3, 9]


def test_a_power_law_is_extrapolated() -> None:
    curve = [2.0 + 3.0 * age**-0.5 for age in range(1, 9)]
    assert extrapolated(curve, 20) == pytest.approx(2.0 + 3.0 * 20**-0.5, rel=1e-6)
    assert extrapolated([math.inf] * 8, 20) == math.inf


def test_a_curve_that_stays_behind_the_best_ends() -> None:
    flat, falling = trial(*[4.0] * 20), trial(*[10.0 / age for age in range(1, 21)])
    rule = CurveExtrapolation()
    assert not rule.ends(flat, 5, FIVE)
    assert rule.ends(flat, 6, FIVE)
    assert not rule.ends(falling, 6, FIVE)
    assert not rule.ends(flat, 6, memory(1.0, 2.0))


def test_patience_finishes_without_blame() -> None:
    found = list(Patience(3).verdicts(trial(3.0, 2.0, *[2.5] * 6), FIVE))
    assert found[0][0].epoch == 5
    assert found[0][1].decision is Decision.FINISHED


def test_diagnosis_does_not_end_a_trial_at_its_end() -> None:
    visits = tuple(visit(epoch, "dying-relu", "loss-plateau") for epoch in (1, 2, 3))
    sick = Timeline(0, (math.nan,) * 3, (1.0, 2.0, 3.0), visits)
    found = list(Diagnosed(Policy()).verdicts(sick, Memory(3, 0)))
    told = [(one.epoch, str(verdict)) for one, verdict in found]
    assert told == [(1, "continue"), (2, "stop: dying-relu")]


def test_rivals_have_names() -> None:
    assert {"none", "median", "asha", "hyperband", "extrapolation", "patience"} == set(RIVALS)
