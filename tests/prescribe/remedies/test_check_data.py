from __future__ import annotations

import pytest

from paramedic.prescribe.remedies.check_data import CheckData, ShuffleData
from tests.diagnose.windows import window
from tests.prescribe.cases import dose, finding


@pytest.mark.parametrize("problem", sorted(CheckData.against))
def test_every_problem_has_its_question(problem: str) -> None:
    given = dose(CheckData(), finding(problem))
    assert given.title
    assert "print" in given.code
    assert given.action == ""


def test_sorted_data_are_shuffled() -> None:
    seen = window(scalars={"target_constant": [1.0, 1.0, 1.0, 0.0]})
    given = dose(ShuffleData(), finding("oscillating-loss"), seen)
    assert "shuffle=True" in given.code
    assert "75%" in given.title


def test_mixed_data_are_not() -> None:
    mixed = window(scalars={"target_constant": [0.0, 0.0, 1.0, 0.0]})
    assert ShuffleData().dose(finding("oscillating-loss"), mixed) is None
    assert ShuffleData().dose(finding("oscillating-loss"), window()) is None
