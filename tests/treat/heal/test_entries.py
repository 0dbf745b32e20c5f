"""Who enters a race."""

from __future__ import annotations

from paramedic.treat.heal.attempt import Watchfulness
from paramedic.treat.heal.entries import Entries
from paramedic.treat.heal.options import Options
from paramedic.treat.heal.session import Session
from tests.treat.heal.legs import TREATMENT, leg
from tests.treat.plans import plan


def test_a_new_problem_gives_the_next_best_of_the_race_before_a_second_chance() -> None:
    session = Session(plan(), Options(), None, None)
    untouched, entries = session.attempt(plan()), Entries(session)
    winner, *others = (session.attempt(plan(), TREATMENT, untouched) for _ in range(4))
    for one, metric in zip(others, (0.6, 0.8, 0.9), strict=True):
        one.legs = [leg(metric)]
        one.advance(20, Watchfulness())
        one.verdict = "outrun"
    others[2].verdict = "failed: not finite"
    chances = [entries.second(winner) for _ in range(3)]
    assert chances == [[others[1]], [others[0]], []]
    assert entries.second(untouched) == []
