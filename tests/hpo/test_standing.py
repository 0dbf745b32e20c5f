from __future__ import annotations

import math

import numpy as np
import pytest

from paramedic.hpo.standing import Standing, gathers_pace, lowest, nobody, table


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
    assert Standing([1.0], nobody().values).better == 0.0


def test_older_than_all_others_it_is_compared_with_their_last() -> None:
    assert Standing([5.0, 4.0, 3.0], table([[2.0, 2.0]])).better == 1.0


def test_the_planned_epochs_are_those_of_the_others_if_not_known() -> None:
    others = np.zeros((3, 6))
    assert Standing([10.0, 8.0, 7.0], others).age == 0.5
    assert Standing([10.0, 8.0, 7.0], others, epochs=12).age == 0.25
    assert Standing([10.0], nobody().values).age == 1.0


def test_stalled_is_without_a_new_best() -> None:
    standing = Standing([3.0, 2.0, 2.0, 2.0], nobody().values)
    assert standing.stalled(2)
    assert not standing.stalled(3)
    assert not standing.stalled(4)
    assert not standing.stalled(0)
    assert standing.is_known
    assert not Standing([math.nan], nobody().values).is_known


@pytest.mark.parametrize(
    ("losses", "gathers"),
    [
        ([2.301, 2.300, 2.298, 2.295, 2.291], True),  # starts late
        ([2.307, 2.307, 2.306, 2.306, 2.306], False),  # learns nothing
        ([6.0, 5.9, 5.85, 5.8, 5.76], False),  # slow, and not faster
        ([2.30, 2.30, 2.29, 2.27, 2.27], True),  # it did at the epoch before
        ([3.0, 2.0, 1.5, 1.3, 1.2], False),  # the usual curve
        ([2.3, 2.2, 2.0], True),
        ([2.3, 2.2, 2.15], False),  # it falls, as most do at first
        ([2.3, 2.3, 2.3], False),
        ([2.3, 2.2], False),  # too early to tell
        ([2.301, math.nan, 2.298, 2.295, 2.291], False),
    ],
)
def test_a_trial_that_starts_late_gathers_pace(losses: list[float], gathers: bool) -> None:
    assert gathers_pace(losses) is gathers


def test_the_lowest_so_far_passes_over_what_is_not_known() -> None:
    assert lowest([math.nan, 3.0, math.nan, 2.0, 5.0]) == (math.inf, 3.0, 3.0, 2.0, 2.0)
    assert lowest([]) == ()
