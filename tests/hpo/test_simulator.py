from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from paramedic.hpo.memory import Memory
from paramedic.hpo.rivals import Never, Patience
from paramedic.hpo.simulator import causes, play, score
from paramedic.hpo.timeline import Timeline
from paramedic.hpo.verdict import Decision, Verdict, Visit


def trial(number: int, best: float) -> Timeline:
    """Ten epochs of one second, the best value in the last."""
    values = (*[best + 1.0] * 9, best)
    return Timeline(number, values, tuple(map(float, range(1, 11))))


@dataclass(frozen=True)
class StopsBad:
    """Knows the end: stops what will be worse than a border after two epochs."""

    border: float
    decision: Decision = Decision.STOP

    def verdicts(self, trial: Timeline, memory: Memory) -> Iterator[tuple[Visit, Verdict]]:
        yield Visit(1, 1), Verdict(Decision.CONTINUE, 1, 1)
        if trial.best > self.border:
            yield Visit(2, 2), Verdict(self.decision, 2, 2, "bad")


POOL = [trial(number, float((7 * number) % 30)) for number in range(30)]


def test_trials_run_one_after_the_other_until_the_budget_is_spent() -> None:
    runs = play(POOL, Never(), budget=35.0)
    assert [run.end for run in runs] == [10.0, 20.0, 30.0]
    assert [run.value for run in runs] == [0.0, 7.0, 14.0]


def test_what_is_stopped_is_no_candidate_and_what_is_finished_keeps_its_best() -> None:
    stopped = play([trial(0, 5.0)], StopsBad(1.0))[0]
    assert (stopped.decision, stopped.end, stopped.value) == (Decision.STOP, 2.0, math.inf)
    finished = play([trial(0, 5.0)], StopsBad(1.0, Decision.FINISHED))[0]
    assert (finished.decision, finished.end, finished.value) == (Decision.FINISHED, 2.0, 6.0)


def test_later_trials_see_the_earlier_ones() -> None:
    seen = []

    class Looks(Never):
        def verdicts(self, trial: Timeline, memory: Memory) -> Iterator[tuple[Visit, Verdict]]:
            seen.append((len(memory.others().values), list(memory.at(3))))
            return iter(())

    play([trial(0, 5.0), trial(1, 3.0), trial(2, 1.0)], Looks())
    assert seen == [(0, []), (1, [6.0]), (2, [4.0, 6.0])]


def test_no_rule_scores_nothing_and_half_of_the_top_ten() -> None:
    found = score(Never(), POOL * 4, POOL)
    assert (found.time_saved, found.trials, found.lost, found.cut, found.spent) == (0, 1, 0, 0, 1)
    assert found.top_ten == pytest.approx(0.5, abs=0.1)


def test_an_oracle_saves_nearly_all_and_loses_nothing() -> None:
    worst_first = sorted(POOL, key=lambda one: -one.best)
    found = score(StopsBad(2.0), worst_first * 4, POOL)
    # 29 trials, of which 27 take two seconds, and the best; instead of 30 of ten seconds.
    assert found.time_saved == pytest.approx(1 - (27 * 2 + 3 * 10) / 300)
    assert found.lost == found.cut == 0.0
    assert found.trials > 3
    assert found.top_ten > 0.7


def test_a_rule_that_stops_the_best_never_reaches_it() -> None:
    found = score(StopsBad(-1.0), POOL * 4, POOL)
    assert found.time_saved == -1.0
    assert found.lost == found.missed == 1.0
    assert found.top_ten == 0.0


def test_good_trials_that_are_finished_too_early_are_cut() -> None:
    found = score(Patience(3), POOL * 4, POOL)
    assert found.lost == 0.0
    assert found.cut == pytest.approx(1 / 3)  # 2.0 becomes 3.0, which is not of the best tenth


def test_the_ten_best_are_of_all_trials_in_the_time_of_the_baseline() -> None:
    assert score(StopsBad(2.0), POOL * 4, POOL).missed == 0.0
    # Four rounds: each has one of 0, 1 and 2, which are the best twelve, and the last is stopped.
    assert score(StopsBad(1.0), POOL * 4, POOL).missed == pytest.approx(1 / 3)


def test_causes_are_counted() -> None:
    assert causes(play(POOL, StopsBad(19.0))) == {"bad": 10}
