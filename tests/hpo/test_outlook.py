from __future__ import annotations

import numpy as np
import pytest

from paramedic.hpo.outlook import outlook
from paramedic.hpo.standing import Standing, nobody

LEVELS = np.tile(np.arange(100.0)[:, None], 16)  # of a hundred others, kept for sixteen epochs


def standing(*shares: float) -> Standing:
    """A trial than which such a share was better after each epoch."""
    return Standing([100 * share - 0.5 for share in shares], LEVELS)


def test_who_keeps_its_rank_is_taken_to_end_with_it() -> None:
    assert outlook([standing(0.3, 0.3, 0.3, 0.3)], 0.0) == pytest.approx(0.3)
    assert outlook([standing(0.3)], 0.0) == pytest.approx(0.3)  # nothing is known of how it moves


def test_what_it_moved_by_since_half_its_age_it_moves_by_in_each_doubling() -> None:
    assert outlook([standing(0.9, 0.5, 0.5, 0.4)], 0.0) == pytest.approx(0.2)  # two are left
    assert outlook([standing(0.9, 0.5, 0.5, 0.2)], 0.0) == 0.0
    assert outlook([standing(0.1, 0.3, 0.3, 0.4)], 0.0) == pytest.approx(0.6)
    assert outlook([standing(*[0.3] * 15, 0.9)], 0.0) == pytest.approx(0.9)  # it is over


def test_who_is_overtaken_has_at_most_twice_as_many_before_it() -> None:
    assert outlook([standing(0.02, 0.1)], 0.0) == pytest.approx(0.2)
    assert outlook([standing(0.5, 0.9)], 0.0) == 1.0


def test_being_good_by_one_number_counts_for_much() -> None:
    views = [standing(0.38), standing(0.08)]
    assert outlook(views, 0.0) == pytest.approx(0.18)  # the geometric mean, with 2 % on each
    assert outlook([standing(0.0), standing(0.98)], 0.0) == pytest.approx(0.1214, abs=1e-3)


def test_of_few_others_a_share_says_little() -> None:
    few, many = np.zeros((4, 1)), np.zeros((400, 1))
    assert outlook([Standing([1.0], few)], 0.0) == 1.0
    assert outlook([Standing([1.0], few)], 2.0) == pytest.approx(0.5)  # of four, all say half
    assert outlook([Standing([1.0], many)], 2.0) == pytest.approx(100 / 101)
    assert outlook([Standing([-1.0], few)], 2.0) == 0.0
    assert outlook([Standing([1.0], nobody().values)], 2.0) == 0.0
    assert outlook([], 2.0) == 0.0
