from __future__ import annotations

import pytest

from paramedic.prescribe.escalation import LADDER, WITHIN, Given, escalate, rung
from paramedic.types import Remedy
from tests.diagnose.windows import window
from tests.prescribe.cases import finding

PROBLEM = "loss-explosion"


def _given(*remedies: str, step: int = 100) -> list[Given]:
    return [Given(step + place, PROBLEM, remedy) for place, remedy in enumerate(remedies)]


def test_the_first_time_is_no_repetition() -> None:
    assert rung(PROBLEM, 100, []) is None


def test_each_repetition_takes_the_next_rung() -> None:
    history: list[Given] = [Given(100, PROBLEM, "normalise-inputs")]
    climbed = []
    for step in range(110, 160, 10):
        name = rung(PROBLEM, step, history)
        assert name is not None
        climbed.append(name)
        history.append(Given(step, PROBLEM, name))
    assert tuple(climbed) == (*LADDER, "stop")


def test_rungs_that_were_the_first_remedy_are_not_taken_again() -> None:
    assert rung(PROBLEM, 110, _given("lower-rate")) == "clip-gradients"
    assert rung(PROBLEM, 110, _given("clip-gradients")) == "roll-back"


def test_other_problems_and_old_ones_do_not_count() -> None:
    assert rung(PROBLEM, 110, [Given(100, "overfitting", "more-dropout")]) is None
    assert rung(PROBLEM, 100 + WITHIN, _given("lower-rate")) == "clip-gradients"
    assert rung(PROBLEM, 101 + WITHIN, _given("lower-rate")) is None
    assert rung(PROBLEM, 50, _given("lower-rate")) is None  # not yet given then


def test_a_window_of_no_steps_is_refused() -> None:
    with pytest.raises(ValueError, match="`within` must be at least 1 step but got 0"):
        rung(PROBLEM, 1, [], within=0)


def test_the_rung_comes_before_what_is_left() -> None:
    advised = [Remedy(slug, slug, 0.8) for slug in ("minimise-loss", "clip-gradients", "roll-back")]
    seen = window(losses=[1.0] * 121)
    found = escalate(finding(PROBLEM), seen, advised, _given("minimise-loss"))
    assert [one.slug for one in found] == ["lower-rate", "clip-gradients", "roll-back"]
    assert (found[0].action, found[0].args) == ("scale-rate", {"factor": 0.5})
    found = escalate(finding(PROBLEM), seen, advised, _given("lower-rate"))
    assert found[0] is advised[1]


def test_the_first_time_nothing_changes() -> None:
    advised = [Remedy("clip-gradients", "Clip", 0.8)]
    assert escalate(finding(PROBLEM), window(losses=[1.0]), advised, []) == tuple(advised)


def test_with_nothing_to_go_back_to_it_stops() -> None:
    found = finding(PROBLEM, first_step=0)
    seen = window(losses=[1.0] * 121)
    assert escalate(found, seen, [], _given("clip-gradients"))[0].slug == "stop"


def test_the_last_rungs_are_possible_in_any_run() -> None:
    seen = window(losses=[1.0] * 121)
    actions = [
        escalate(finding("wrong-mode"), seen, [], [Given(100, "wrong-mode", name)])[0].action
        for name in ("train-mode", *LADDER)
    ]
    assert actions == ["scale-rate", "clip-gradients", "roll-back", "stop", "stop"]
