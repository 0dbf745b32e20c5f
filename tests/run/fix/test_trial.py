"""Comparisons; `test_fixing.py` has a patch that is really run."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from paramedic.run.fix.course import Course
from paramedic.run.fix.patch import Patch
from paramedic.run.fix.trial import Trial, _compared
from paramedic.types import Epoch, Remedy

PATCH = Patch(Remedy("r", "R", 0.5), Path("t.py"), "", "")


def _epochs(*values: float, name: str = "val_loss") -> list[Epoch]:
    return [Epoch(i, 10 * i + 9, {name: value}) for i, value in enumerate(values)]


def _trial(before: Course, after: Course, *slugs: str) -> Trial:
    return _compared(PATCH, before, after, slugs, "sick")


def test_validation_speaks_first() -> None:
    before = Course([1.0] * 20, _epochs(2.0, 2.0))
    after = Course([5.0] * 20, _epochs(2.0, 1.0))
    trial = _trial(before, after)
    assert trial.verified
    assert trial.convincing
    assert trial.numbers is not None
    assert trial.numbers.to_json() == {"metric": "val_loss", "before": 2, "after": 1, "steps": 20}
    assert "val_loss 2 → 1" in trial.sentence()


def test_both_are_compared_at_the_same_length() -> None:
    trial = _trial(Course([1.0] * 20, _epochs(2.0, 0.5)), Course([1.0] * 10, _epochs(1.0)))
    assert trial.numbers is not None
    assert (trial.numbers.before, trial.numbers.after, trial.numbers.steps) == (2.0, 1.0, 10)


def test_without_validation_the_end_of_the_losses() -> None:
    trial = _trial(Course([3.0] * 40), Course([3.0] * 30 + [1.0] * 10))
    assert trial.numbers is not None
    assert (trial.numbers.metric, trial.numbers.after) == ("training loss", 1.0)
    assert trial.gain == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("after", "slugs", "why"),
    [
        ([0.1] * 20, ("sick",), "sick is still there"),
        ([1.5] * 20, (), "it got worse"),
        ([math.nan] * 20, (), "it got worse"),
        ([], (), "there was nothing to compare"),
    ],
)
def test_not_verified(after: list[float], slugs: tuple[str, ...], why: str) -> None:
    trial = _trial(Course([1.0] * 20), Course(after), *slugs)
    assert (trial.verified, trial.why) == (False, why)


def test_a_loss_that_was_not_finite_can_only_get_better() -> None:
    assert _trial(Course([math.inf] * 20), Course([1.0] * 20)).convincing


def test_as_good_is_verified_but_does_not_convince() -> None:
    trial = _trial(Course([1.0] * 20), Course([1.01] * 20))
    assert trial.verified
    assert not trial.convincing
