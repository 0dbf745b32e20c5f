from __future__ import annotations

import math

import numpy as np
import pytest

from paramedic.hpo.standing import Standing, gathers_pace, nobody, table


def test_a_table_holds_the_best_so_far_and_carries_it_on() -> None:
    found = table([[3.0, 1.0, 2.0], [5.0], [math.nan, 4.0]], epochs=4)
    assert found.tolist() == [
        [3.0, 1.0, 1.0, 1.0],
        [5.0, 5.0, 5.0, 5.0],
        [math.inf, 4.0, 4.0, 4.0],
    ]
    assert table([]).shape == (0, 0)


def test_how_many_were_better_at_the_same_age() -> None:
    others = table([[5.0, 1.0], [4.0, 3.0], [9.0, 9.0], [8.0, 2.0]])
    assert Standing([4.5], others).better == 0.25
    assert Standing([4.5, 2.5], others).better == 0.5
    assert Standing([4.5, 2.5], others).surely_better == 0.25
    assert Standing([1.0], nobody()).better == 0.0


def test_older_than_all_others_it_is_compared_with_their_last() -> None:
    assert Standing([5.0, 4.0, 3.0], table([[2.0, 2.0]])).better == 1.0


@pytest.mark.parametrize(
    ("bests", "forecast"),
    [
        ([10.0, 9.0], 9.0 - math.log(5) / math.log(2)),  # one per doubling of its age
        ([10.0, 10.0, 10.0, 10.0, 6.0], 6.0 - 4 * math.log(2) / math.log(5 / 3)),  # the last two
        ([10.0, 4.0, 4.0, 4.0, 4.0], 4.0 - 6 * math.log(2) / math.log(5)),  # all of them
        ([4.0, 4.0, 4.0], 4.0),
        ([math.inf, math.inf], math.inf),
        ([math.inf, 5.0], -math.inf),  # nothing is known of its pace
    ],
)
def test_the_forecast_gains_as_much_per_growth_of_its_age(
    bests: list[float], forecast: float
) -> None:
    assert Standing(bests, nobody(), epochs=10).forecast() == pytest.approx(forecast)


def test_out_of_reach_is_what_the_forecast_does_not_beat() -> None:
    others = table([[9.0, 1.0], [9.0, 2.0], [9.0, 8.0], [9.9, 9.8]])
    assert Standing([10.0, 9.9], others, epochs=10).out_of_reach == 0.75
    assert Standing([math.inf, math.inf], others).out_of_reach == 1.0
    assert Standing([math.inf, 9.0], others, epochs=10).out_of_reach == 0.0


def test_what_is_better_by_a_little_is_not_out_of_reach() -> None:
    others = table([[9.0, 9.0]] * 3)
    assert Standing([9.4, 9.4], others, epochs=2).out_of_reach == 0.0
    assert Standing([9.6, 9.6], others, epochs=2).out_of_reach == 1.0


def test_far_behind_is_measured_by_what_the_best_differed() -> None:
    best = [[3.0, 1.0], [4.0, 1.1], [5.0, 1.2], [6.0, 1.3], [7.0, 1.4]]
    worse = [[9.0, 9.0]] * 45
    others = table([*best, *worse])
    assert not Standing([9.1], others).far_behind(2.0)  # 5 + 2 * 1.31 * 1.58
    assert Standing([9.2], others).far_behind(2.0)
    assert not Standing([12.0], others).far_behind(0.0)
    assert not Standing([12.0], table([*best, *worse[:30]])).far_behind(2.0)  # a tenth is four
    late = table([[math.nan, 0.9], *best, *worse])
    assert not Standing([12.0], late).far_behind(2.0)


def test_the_planned_epochs_are_those_of_the_others_if_not_known() -> None:
    others = np.zeros((3, 6))
    assert Standing([10.0, 8.0], others).forecast() == 8.0 - 2.0 * math.log(3) / math.log(2)
    assert Standing([10.0, 8.0, 7.0], others).age == 0.5
    assert Standing([10.0], nobody()).age == 1.0


def test_stalled_is_without_a_new_best() -> None:
    standing = Standing([3.0, 2.0, 2.0, 2.0], nobody())
    assert standing.stalled(2)
    assert not standing.stalled(3)
    assert not standing.stalled(4)
    assert not standing.stalled(0)
    assert standing.is_known
    assert not Standing([math.nan], nobody()).is_known


@pytest.mark.parametrize(
    ("losses", "gathers"),
    [
        ([2.301, 2.300, 2.298, 2.295, 2.291], True),  # starts late
        ([2.307, 2.307, 2.306, 2.306, 2.306], False),  # learns nothing
        ([6.0, 5.9, 5.85, 5.8, 5.76], False),  # slow, and not faster
        ([2.30, 2.30, 2.29, 2.27, 2.27], True),  # it did at the epoch before
        ([3.0, 2.0, 1.5, 1.3, 1.2], False),  # the usual curve
        ([2.3, 2.2, 2.0], True),  # there is nothing before it to compare with
        ([2.3, 2.3, 2.3], False),
        ([2.3, 2.2], False),  # too early to tell
        ([2.301, math.nan, 2.298, 2.295, 2.291], False),
    ],
)
def test_a_trial_that_starts_late_gathers_pace(losses: list[float], gathers: bool) -> None:
    assert gathers_pace(losses) is gathers
