from __future__ import annotations

import math
from dataclasses import replace

import pytest

from paramedic.hpo.judge import Judge
from paramedic.hpo.policy import BTTACKLER, Policy
from paramedic.hpo.standing import Others, Peers, table
from paramedic.hpo.verdict import Decision, Visit
from paramedic.types import Severity
from tests.hpo.cases import finding, visit, visits

POLICY = Policy(
    warm_up=2, symptoms=2, persistence=3, protect=0.2, best=0.1, most=0, chance=0.05, fewest=5,
    patience=0.3, hopeless=("learning-rate-too-low",),
)  # fmt: skip
JUDGE = Judge(POLICY, epochs=20)
HEALTHY: tuple[str, ...] = ()
LEVELS = [float(level) for level in range(1, 21)]  # of the others: one at each


def peers(*values: float) -> Peers:
    """Others that had their value from the start, and kept it."""
    return lambda: Others(table([[value] * 20 for value in values]))


OTHERS = peers(*LEVELS)


def curve(*values: float, findings: tuple[str, ...] = ()) -> list[Visit]:
    """A trial with these best values; the findings are those of the last epoch."""
    last = len(values)
    return [
        visit(epoch, *(findings if epoch == last else ()), value=value)
        for epoch, value in enumerate(values, start=1)
    ]


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
    assert JUDGE.verdict(curve(0.5, 0.4, findings=("non-finite",)), OTHERS).stops


def test_one_symptom_alone_is_not_enough() -> None:
    verdict = JUDGE.verdict(visits(HEALTHY, HEALTHY, ("dying-relu",)))
    assert verdict.decision is Decision.CONTINUE
    assert verdict.symptoms == ("dying-relu",)
    assert verdict.spared == "one symptom"


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


@pytest.mark.parametrize(
    "sick",
    [
        curve(16.0, 15.9, 15.8, findings=("learning-rate-too-low",)),  # hopeless
        [visit(epoch, "dying-relu", value=16.0 - 0.1 * epoch) for epoch in (1, 2, 3)],  # it lasts
    ],
)
def test_a_sick_trial_that_is_behind_is_stopped_for_what_was_found(sick: list[Visit]) -> None:
    verdict = JUDGE.verdict(sick, OTHERS)
    found = sick[-1].findings[0].slug
    assert verdict.stops
    assert verdict.prunes
    assert verdict.cause == found
    assert verdict.symptoms == (found, "behind")
    assert (
        "15 of 20 others were better at this age, and the chance to end among the " in verdict.why
    )
    assert "best 10.0% is 0.9%" in verdict.why


def test_what_was_found_once_is_told_but_no_reason_to_drop_the_value_of_a_trial() -> None:
    verdict = JUDGE.verdict(curve(16.0, 15.9, 15.8, findings=("dying-relu",)), OTHERS)
    assert verdict.decision is Decision.FINISHED
    assert verdict.prunes
    assert verdict.symptoms == ("dying-relu", "behind")


def test_a_healthy_trial_that_is_behind_is_finished_without_blame() -> None:
    verdict = JUDGE.verdict(curve(16.0, 15.9, 15.8), OTHERS)
    assert verdict.decision is Decision.FINISHED
    assert verdict.cause == "no-more-gain"
    assert "not gain enough to matter" in verdict.why
    assert verdict.prunes
    assert not verdict.stops


def test_a_loss_that_is_good_speaks_for_a_trial_whose_value_is_behind() -> None:
    late = [replace(one, losses=(math.nan, 0.5)) for one in curve(19.5, 19.5, 19.5)]
    values, unknown = table([[level] * 20 for level in LEVELS]), table([])
    for losses, ends in ((LEVELS, False), ([0.1] * 20, True), (LEVELS[:4], True)):
        others = Others(values, (unknown, table([[loss] * 20 for loss in losses])))
        assert JUDGE.verdict(late, lambda others=others: others).ends is ends  # type: ignore[misc]


def test_the_best_by_their_value_are_not_ended_for_their_losses() -> None:
    judge = Judge(POLICY.changed(chance=0.1), epochs=20)
    others = Others(OTHERS().values, (table([[0.1] * 20] * 20),))
    for value, ends in ((1.5, False), (3.5, True)):  # one of twenty was better, or three
        held_back = [replace(one, losses=(0.5,)) for one in curve(*[value] * 4)]
        ends_now = judge.verdict(held_back, lambda: others).ends
        assert ends_now is ends


def test_one_epoch_is_too_little_for_findings_alone() -> None:
    early = Judge(POLICY.changed(warm_up=0))
    both = ("dying-relu", "loss-plateau")
    assert not early.verdict(visits(both)).ends
    assert early.verdict(visits(both, both)).stops


@pytest.mark.parametrize(("epochs", "cause"), [(1, "no-more-gain"), (2, "dying-relu")])
def test_what_was_there_from_the_start_is_the_cause_from_the_second_epoch_on(
    epochs: int, cause: str
) -> None:
    early = Judge(POLICY.changed(warm_up=0), epochs=20)
    sick = [visit(epoch, "dying-relu", value=19.5) for epoch in range(1, epochs + 1)]
    assert early.verdict(sick, OTHERS).cause == cause


def test_of_many_trials_fewer_are_to_be_kept() -> None:
    """What may be among the best tenth may not be among the best two of twenty."""
    middling = curve(5.5, 5.4, 5.3, 5.2)
    assert not JUDGE.verdict(middling, OTHERS).ends
    few = Judge(POLICY.changed(most=1), epochs=20)
    assert few.verdict(middling, OTHERS).ends
    assert not few.verdict(curve(1.5, 1.4, 1.3, 1.2), OTHERS).ends  # the best tenth by its value


def test_a_trial_that_came_to_its_end_is_not_ended() -> None:
    behind = curve(*[19.5] * 5)
    assert Judge(POLICY, epochs=6).verdict(behind, OTHERS).ends
    assert not Judge(POLICY, epochs=5).verdict(behind, OTHERS).ends


def test_too_few_others_are_not_compared_with() -> None:
    hopeless = curve(18.0, 17.99, 17.98, 17.97)
    assert not JUDGE.verdict(hopeless, peers(1, 2, 3, 4)).ends
    assert JUDGE.verdict(hopeless, peers(1, 2, 3, 4, 5)).ends


def test_of_few_others_a_share_says_little() -> None:
    slow = curve(7.0, 6.99, 6.98, 6.97)
    few, many = [1.0, 2.0, 8.0, 8.5, 9.0], [1.0, 2.0, 8.0, 8.5, 9.0] * 20
    assert not JUDGE.verdict(slow, peers(*few)).ends
    assert JUDGE.verdict(slow, peers(*many)).ends


@pytest.mark.parametrize(("value", "spared"), [(1.5, True), (3.5, True), (5.5, False)])
def test_the_best_so_far_are_protected(value: float, spared: bool) -> None:
    sick = curve(*[value] * 4, findings=("dying-relu", "loss-plateau"))
    verdict = JUDGE.verdict(sick, OTHERS)
    assert verdict.stops is not spared
    assert (verdict.spared == "among the best trials so far") is spared


def test_what_is_hopeless_need_not_wait_for_a_stall() -> None:
    for slug, stops in (("learning-rate-too-low", True), ("dying-relu", False)):
        values = (9.0, 8.9, 8.8, 8.7)
        gaining = [visit(epoch, slug, value=one) for epoch, one in enumerate(values, start=1)]
        assert JUDGE.verdict(gaining).stops is stops


def test_a_trial_whose_value_is_not_known_is_judged_by_its_symptoms() -> None:
    sick = visits(HEALTHY, HEALTHY, ("dying-relu", "loss-plateau"))
    assert JUDGE.verdict(sick, OTHERS).stops


def test_what_gets_better_is_not_ended_for_a_finding_unless_it_is_behind() -> None:
    both = ("dying-relu", "loss-plateau")
    assert not JUDGE.verdict(curve(9.0, 8.0, 7.0, 6.0, findings=both), OTHERS).ends
    assert JUDGE.verdict(curve(9.0, 9.0, 9.0, 9.0, findings=both), OTHERS).ends


def test_the_older_a_trial_is_the_fewer_must_have_been_better() -> None:
    strict = Judge(POLICY.changed(chance=0.01), epochs=20)
    slow = [11.0 - 0.001 * place for place in range(12)]
    assert not strict.verdict(curve(*slow[:4]), OTHERS).ends
    assert strict.verdict(curve(*slow), OTHERS).ends


def test_a_trial_without_gain_for_long_is_finished_without_blame() -> None:
    verdict = JUDGE.verdict(curve(3.0, *[1.5] * 7))
    assert verdict.decision is Decision.FINISHED
    assert verdict.cause == "no-more-gain"
    assert verdict.ends
    assert not verdict.stops
    assert not JUDGE.verdict(curve(3.0, *[1.5] * 6)).ends


def test_without_a_plan_and_others_it_is_a_finding_that_finishes() -> None:
    nobody_knows = Judge(POLICY)
    assert not nobody_knows.verdict(curve(3.0, *[1.5] * 12)).ends
    found = curve(3.0, *[1.5] * 12, findings=("no-more-gain",))
    assert nobody_knows.verdict(found).decision is Decision.FINISHED


def test_a_finding_finishes_a_trial_whose_value_is_not_known() -> None:
    assert JUDGE.verdict([visit(9, "no-more-gain")]).decision is Decision.FINISHED


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
    now, others = [Visit(1, 10, found, value=0.0)], LEVELS[:10]
    assert not Judge(BTTACKLER).verdict(now, peers(*others)).ends
    assert Judge(BTTACKLER).verdict(now, peers(*others[:9])).ends


def test_bttackler_finishes_at_its_indicator_alone() -> None:
    found = (replace(finding("bttackler-no-more-gain", Severity.INFO), code="BT07"),)
    assert Judge(BTTACKLER).verdict([Visit(1, 10, found, value=0.0)]).decision == "finished"
    assert not Judge(BTTACKLER).verdict(curve(*[1.0] * 19), OTHERS).ends


def test_a_verdict_needs_a_visit() -> None:
    with pytest.raises(ValueError, match="at least one visit"):
        JUDGE.verdict([])


def test_a_trial_that_gathers_pace_is_not_stopped_for_findings_unless_it_is_behind() -> None:
    both = ("dying-relu", "loss-plateau")
    losses = (2.301, 2.299, 2.295, 2.285)
    for value, ends in ((6.5, False), (18.5, True)):
        stuck = curve(*[value] * 4, findings=both)
        late = [replace(one, losses=(2.0, loss)) for one, loss in zip(stuck, losses, strict=True)]
        assert JUDGE.verdict(stuck, OTHERS).ends
        assert JUDGE.verdict(late, OTHERS).ends is ends
