from __future__ import annotations

import math

import numpy as np
import pytest

from paramedic.hpo.outlook import Outlook, outlook
from paramedic.hpo.standing import Standing

EPOCHS = 16


def standing(share: float, epoch: int = EPOCHS, others: int = 100) -> Standing:
    """A trial than which such a share of the others is better after an epoch."""
    levels = np.tile(np.arange(float(others))[:, None], EPOCHS)
    return Standing([math.inf] * (epoch - 1) + [others * share - 0.5], levels)


def expected(*views: Standing) -> float:
    """The share in the middle."""
    return math.exp(outlook(views).middle) - 0.02


def test_at_its_end_it_stands_where_it_stands() -> None:
    assert expected(standing(0.3)) == pytest.approx(0.3)
    assert expected(standing(0.0)) == pytest.approx(0.0)
    assert expected(standing(1.0)) == pytest.approx(1.0)


def test_what_is_far_from_the_border_of_the_best_comes_a_little_nearer() -> None:
    shares = [expected(standing(0.6, epoch)) for epoch in (1, 4, 16)]
    assert 0.4 < shares[0] < shares[1] < shares[2]
    assert expected(standing(0.02, 1)) > 0.02


def test_the_more_of_the_trial_is_left_the_less_is_sure() -> None:
    spreads = [outlook([standing(0.5, epoch)]).spread for epoch in (1, 2, 4, 8, 16)]
    assert spreads == sorted(spreads, reverse=True)
    chances = [outlook([standing(0.4, epoch)]).chance(0.1) for epoch in (1, 2, 4, 8, 16)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.03 > chances[-1]


def test_the_better_it_stands_the_larger_is_its_chance() -> None:
    chances = [outlook([standing(share, 4)]).chance(0.1) for share in (0.0, 0.1, 0.3, 0.6, 1.0)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.9
    assert chances[-1] < 0.02


def test_of_few_others_a_share_says_little() -> None:
    few, many = (outlook([standing(1.0, 8, others)]) for others in (3, 300))
    assert few.spread > many.spread
    assert outlook([standing(0.5, 8, 4)]).chance(0.1) > 5 * outlook([standing(0.5, 8)]).chance(0.1)


def test_being_good_by_one_number_counts_for_much() -> None:
    views = [standing(0.38), standing(0.08)]
    assert expected(*views) == pytest.approx(0.18)  # the geometric mean, with 2 % on each
    assert expected(standing(0.0), standing(0.98)) == pytest.approx(0.1214, abs=1e-3)


def test_a_chance_is_that_of_a_normal_logarithm() -> None:
    found = Outlook(middle=math.log(0.12), spread=0.5)
    assert found.chance(0.1) == pytest.approx(0.5)
    assert found.chance(0.12 * math.e - 0.02) == pytest.approx(0.9772, abs=1e-4)
    assert found.chance(0.12 / math.e - 0.02) == pytest.approx(0.0228, abs=1e-4)
