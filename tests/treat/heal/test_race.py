"""Races: the better half goes on, and the winner must beat the present plan."""

from __future__ import annotations

import math

from paramedic.treat.heal.attempt import Attempt
from paramedic.treat.heal.options import Options
from paramedic.treat.heal.race import Race, metric_at, metric_from
from paramedic.treat.heal.scoring import slower
from paramedic.treat.heal.session import Session
from tests.treat.doubles import ADAM, HIGH, USELESS, slow_plan
from tests.treat.heal.legs import TREATMENT, attempt, finding, leg
from tests.treat.plans import plan


def _raced(present: Attempt, *entries: Attempt, against: str = "") -> Attempt:
    session = Session(plan(), Options(rungs=1), None, None)
    session.attempts = [present, *entries]
    problem = finding(against) if against else finding()
    return Race(session, present, entries, problem).run()


def _entry(number: int, metric: float, **changes: object) -> Attempt:
    return attempt(leg(metric, **changes), number=number, treatment=TREATMENT)


def _again(one: Attempt) -> Attempt:
    """An attempt whose leg is on record but was not asked for yet."""
    one._replayed = 0
    return one


def test_the_best_candidate_wins() -> None:
    present = attempt(leg(0.5))
    entries = [_again(_entry(number, metric)) for number, metric in ((1, 0.6), (2, 0.9), (3, 0.7))]
    assert _raced(present, *entries) is entries[1]
    assert [entry.verdict for entry in entries] == ["outrun", "won", "outrun"]


def test_a_candidate_that_is_worse_does_not_win() -> None:
    present = attempt(leg(0.9))
    entry = _again(_entry(1, 0.5))
    assert _raced(present, entry) is present
    assert entry.verdict == "worse than the present plan"


def test_a_candidate_with_the_problem_does_not_win() -> None:
    present = attempt(leg(0.5))
    entry = _again(_entry(1, 0.9, findings=(finding(),)))
    assert _raced(present, entry) is present
    assert entry.verdict == "the problem is still there"


def test_what_thrives_is_changed_only_for_something_better() -> None:
    present = attempt(leg(0.7, progress=0.5))
    entry = _again(_entry(1, 0.71))
    assert _raced(present, entry) is present
    better = _again(_entry(1, 0.8))
    assert _raced(present, better) is better


def test_what_guesses_does_not_thrive_however_much_loss_is_gone() -> None:
    present = attempt(leg(0.5, progress=0.9))
    entry = _again(_entry(1, 0.51))
    assert _raced(present, entry) is entry


def test_what_is_known_to_be_worse_in_the_end_does_not_thrive() -> None:
    present = attempt(leg(0.7, progress=0.5))
    entry = _again(_entry(1, 0.71))
    session = Session(plan(), Options(rungs=1), None, None)
    session.attempts = [present, entry]
    assert Race(session, present, [entry], slower(leg(0.7), 0.9)).run() is entry


def test_what_is_plainly_wrong_is_put_right_if_nothing_is_lost() -> None:
    present = attempt(leg(0.7, progress=0.9))  # from a huge first loss, any progress is large
    entry = _again(_entry(1, 0.71))
    assert _raced(present, entry, against="abnormal-data") is entry
    entry = _again(_entry(1, 0.63))  # by chance, on 128 samples
    assert _raced(attempt(leg(0.7)), entry, against="abnormal-data") is entry
    entry = _again(_entry(1, 0.6, step=60))  # too late to catch up
    assert _raced(attempt(leg(0.7, 60)), entry, against="abnormal-data") is not entry


def test_what_is_right_may_catch_up_with_a_plain_mistake() -> None:
    present = attempt(leg(0.7), leg(0.7, 40))
    for against, winner in (("abnormal-data", True), ("dying-relu", False)):
        entry = _again(attempt(leg(0.5), leg(0.75, 40), number=1, treatment=TREATMENT))
        assert (_raced(present, entry, against=against) is entry) is winner
        assert entry.step == (40 if winner else 20)
    late = _again(attempt(leg(0.5), leg(0.5, 40), leg(0.9, 80), number=1, treatment=TREATMENT))
    assert _raced(present, late, against="abnormal-data") is present
    assert late.step == 40  # of 96


def test_while_it_is_waited_the_second_runs_on() -> None:
    def runner(number: int, *metrics: float) -> Attempt:
        legs = (leg(one, step) for one, step in zip(metrics, (20, 40, 80), strict=False))
        return _again(attempt(*legs, number=number, treatment=TREATMENT))

    present = attempt(leg(0.7), leg(0.7, 40))
    first, second, third = runner(1, 0.52, 0.52), runner(2, 0.51, 0.75), runner(3, 0.3, 0.9)
    assert _raced(present, first, second, third, against="abnormal-data") is second
    assert [one.step for one in (first, second, third)] == [40, 40, 20]
    assert [one.verdict for one in (first, second, third)] == ["outrun", "won", "outrun"]


def test_what_fails_is_out() -> None:
    present = attempt(leg(0.5))
    entries = [_again(_entry(1, math.nan)), _again(_entry(2, 0.6))]
    assert _raced(present, *entries) is entries[1]
    assert entries[0].verdict == "failed: not finite"


def test_a_real_race_is_run_in_stretches() -> None:
    sick = slow_plan()
    session = Session(sick, Options(fewest=10), None, None)
    present = session.attempt(sick)
    present.legs, present.points = [leg(0.4, step=8)], [leg(0.4, step=8).point]
    present.advance(8, None)  # type: ignore[arg-type]
    entries = [
        session.attempt(sick.replace(**one.changes), TREATMENT, present)
        for one in (USELESS, HIGH, ADAM)
    ]
    assert Race(session, present, entries, finding(step=8)).run() is entries[2]
    assert sorted(entry.step for entry in entries) == [10, 20, 20]


def test_the_metric_at_a_step() -> None:
    known = attempt(leg(0.5, step=10), leg(0.7, step=20))
    assert metric_at(known, 15) == 0.5
    assert metric_at(known, 20) == 0.7
    assert metric_at(known, 3) == 0.5
    assert math.isnan(metric_at(attempt(), 3))


def test_the_metric_from_a_step_on() -> None:
    known = attempt(leg(0.5, step=10), leg(0.7, step=20))
    assert metric_from(known, 11) == 0.7  # never a point at which less was trained
    assert metric_from(known, 10) == 0.5
    assert metric_from(known, 30) == 0.7
    assert math.isnan(metric_from(attempt(), 3))
