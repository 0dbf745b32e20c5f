from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from paramedic.hpo.judge import Judge
from paramedic.hpo.policy import BTTACKLER, Policy
from paramedic.hpo.verdict import Decision, Visit
from paramedic.types import Severity
from tests.hpo.cases import finding, visit, visits

POLICY = Policy(warm_up=2, symptoms=2, persistence=3, protect=0.2, behind=0.5, fewest=5)
JUDGE = Judge(POLICY)
HEALTHY: tuple[str, ...] = ()


def peers(*values: float) -> object:
    return lambda epoch: values


def test_a_healthy_trial_goes_on() -> None:
    verdict = JUDGE.verdict(visits(HEALTHY, HEALTHY, HEALTHY, HEALTHY))
    assert verdict.decision is Decision.CONTINUE
    assert not verdict.symptoms
    assert not verdict.spared


def test_what_is_fatal_ends_a_trial_at_once_even_in_the_warm_up() -> None:
    verdict = JUDGE.verdict([visit(0, "non-finite", between=True)])
    assert verdict.decision is Decision.STOP
    assert verdict.cause == "non-finite"
    assert verdict.stops


def test_what_is_fatal_ends_even_the_best_trial() -> None:
    now = visit(5, "non-finite", value=0.0)
    assert JUDGE.verdict([now], peers(1, 2, 3, 4, 5)).stops  # type: ignore[arg-type]


def test_one_symptom_alone_is_not_enough() -> None:
    verdict = JUDGE.verdict(visits(HEALTHY, HEALTHY, ("dying-relu",)))
    assert verdict.decision is Decision.CONTINUE
    assert verdict.symptoms == ("dying-relu",)
    assert verdict.spared == "not confirmed yet"


def test_a_second_symptom_confirms_if_it_is_measured_in_another_way() -> None:
    both = ("dying-relu", "loss-plateau")
    verdict = JUDGE.verdict(visits(HEALTHY, HEALTHY, both))
    assert verdict.decision is Decision.STOP
    assert verdict.cause == "dying-relu"
    assert verdict.symptoms == both


def test_two_symptoms_of_the_loss_are_one() -> None:
    alike = ("oscillating-loss", "loss-plateau")
    assert not JUDGE.verdict(visits(HEALTHY, HEALTHY, alike)).ends


def test_a_lone_symptom_that_lasts_ends_a_trial() -> None:
    sick = ("dying-relu",)
    assert not JUDGE.verdict(visits(HEALTHY, sick, sick)).ends
    verdict = JUDGE.verdict(visits(HEALTHY, sick, sick, sick))
    assert verdict.stops
    assert "3 epochs" in verdict.why


def test_a_symptom_that_comes_and_goes_does_not_last() -> None:
    sick = ("dying-relu",)
    assert not JUDGE.verdict(visits(sick, sick, HEALTHY, sick)).ends


def test_visits_between_epochs_do_not_make_a_symptom_last() -> None:
    sick = ("dying-relu",)
    story = [visit(2, *sick, between=True), visit(3, *sick), visit(3, *sick, between=True)]
    assert not JUDGE.verdict([*story, visit(4, *sick)]).ends


def test_nothing_but_what_is_fatal_counts_in_the_warm_up() -> None:
    assert not JUDGE.verdict(visits(HEALTHY, ("dying-relu", "loss-plateau"))).ends


def test_the_warm_up_is_the_trials_own() -> None:
    long = Judge(POLICY.changed(warm_up=10))
    sick = [visit(epoch, "dying-relu", "loss-plateau") for epoch in range(1, 11)]
    assert not long.verdict(sick).ends
    assert long.verdict([*sick, visit(11, "dying-relu", "loss-plateau")]).ends


def test_notes_are_no_symptoms() -> None:
    note = replace(finding("loss-plateau"), severity=Severity.INFO)
    now = Visit(5, 50, (finding("dying-relu"), note))
    assert not JUDGE.verdict([now]).ends


def test_being_behind_the_others_confirms_a_symptom() -> None:
    now = visit(3, "dying-relu", value=9.0)
    verdict = JUDGE.verdict([now], peers(1, 2, 3, 4, 5))  # type: ignore[arg-type]
    assert verdict.stops
    assert verdict.symptoms == ("dying-relu", "behind")


def test_being_behind_is_no_reason_by_itself() -> None:
    asked: list[int] = []

    def others(epoch: int) -> Sequence[float]:
        asked.append(epoch)
        return (1, 2, 3, 4, 5)

    assert not JUDGE.verdict([visit(3, value=9.0)], others).ends
    assert not asked


def test_too_few_others_are_not_compared_with() -> None:
    now = visit(3, "dying-relu", value=9.0)
    assert not JUDGE.verdict([now], peers(1, 2, 3, 4)).ends  # type: ignore[arg-type]


@pytest.mark.parametrize(("value", "spared"), [(0.5, True), (1.5, True), (2.5, False)])
def test_the_best_so_far_are_protected(value: float, spared: bool) -> None:
    now = visit(3, "dying-relu", "loss-plateau", value=value)
    verdict = JUDGE.verdict([now], peers(1, 2, 3, 4, 5, 6, 7, 8, 9))  # type: ignore[arg-type]
    assert verdict.stops is not spared
    assert (verdict.spared == "among the best trials so far") is spared


def test_a_trial_whose_value_is_not_known_is_judged_by_its_symptoms() -> None:
    now = visit(3, "dying-relu", "loss-plateau", value=math.nan)
    assert JUDGE.verdict([now], peers(1, 2, 3, 4, 5)).stops  # type: ignore[arg-type]


def test_no_more_gain_finishes_a_trial_without_blame() -> None:
    verdict = JUDGE.verdict([visit(9, "no-more-gain", value=0.1)])
    assert verdict.decision is Decision.FINISHED
    assert verdict.ends
    assert not verdict.stops


def test_no_more_gain_can_be_switched_off() -> None:
    assert not Judge(POLICY.changed(finish=False)).verdict([visit(9, "no-more-gain")]).ends


def test_a_shadow_only_tells() -> None:
    verdict = Judge(POLICY, shadow=True).verdict([visit(1, "non-finite")])
    assert verdict.decision is Decision.STOP
    assert verdict.shadow
    assert not verdict.ends


def test_bttackler_needs_one_indicator() -> None:
    now = Visit(1, 10, (replace(finding("bttackler-passive-loss-changes"), code="BT04"),))
    assert Judge(BTTACKLER).verdict([now]).stops


def test_bttackler_protects_its_best_tenth_once_ten_came_as_far() -> None:
    found = (replace(finding("bttackler-passive-loss-changes"), code="BT04"),)
    now, others = Visit(1, 10, found, value=0.0), tuple(map(float, range(1, 11)))
    assert not Judge(BTTACKLER).verdict([now], lambda epoch: others).ends
    assert Judge(BTTACKLER).verdict([now], lambda epoch: others[:9]).ends


def test_a_verdict_needs_a_visit() -> None:
    with pytest.raises(ValueError, match="at least one visit"):
        JUDGE.verdict([])
