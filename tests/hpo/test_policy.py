from __future__ import annotations

import pytest

from paramedic.hpo.policy import BTTACKLER, Policy, detectors_of, policy_of, staged


def test_rule_sets_have_detectors_and_a_policy() -> None:
    assert {one.code for one in detectors_of("bttackler")} >= {"BT01", "BT07"}
    assert policy_of("bttackler") is BTTACKLER
    assert {one.code for one in detectors_of(["N001", "G001"])} == {"N001", "G001"}
    assert policy_of(["N001"]) == Policy()


def test_thresholds_reach_the_detectors() -> None:
    (detector,) = detectors_of(["L006"], {"L006": {"epochs": 12}})
    assert detector.thresholds()["epochs"] == 12


def test_the_planned_epochs_reach_the_stages_of_bttackler() -> None:
    given = staged("bttackler", 50, {"BT04": {"smallest": 0.1}})
    found = {one.code: one.thresholds() for one in detectors_of("bttackler", given)}
    assert found["BT04"]["epochs"] == found["BT07"]["epochs"] == 50
    assert found["BT04"]["smallest"] == 0.1
    assert staged("default", 50) == {}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: detectors_of("defualt"), "list of codes"),
        (lambda: policy_of("asha"), "'bttackler'"),
        (lambda: Policy(protect=2.0), "between 0 and 1 but got 2.0"),
        (lambda: Policy(persistence=0), "at least 1 but got 0"),
        (lambda: Policy(chance=-0.1), "between 0 and 1 but got -0.1"),
        (lambda: Policy(most=-1), "at least 0 but got -1"),
        (lambda: Policy().changed(patients=3), "no setting `patients`"),
    ],
)
def test_errors_say_what_to_do(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


def test_the_best_are_a_share_and_at_most_so_many() -> None:
    policy = Policy(best=0.1, most=12)
    assert policy.among(0) == policy.among(20) == policy.among(120) == 0.1
    assert policy.among(480) == pytest.approx(12 / 480)
    assert Policy(best=0.1, most=0).among(480) == 0.1
