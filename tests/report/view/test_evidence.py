from __future__ import annotations

import pytest

from paramedic.report.view.evidence import Gauge, brief, facts, listed, thresholds


def test_each_number_finds_its_threshold() -> None:
    values = {"ratio": 2e-9, "threshold": 1e-3, "norm": 5.0, "norm_threshold": 3.0, "learned": 0.0}
    assert thresholds(values) == {"ratio": "threshold", "norm": "norm_threshold"}
    told = facts(values)
    assert [one.name for one in told] == ["ratio", "norm", "learned"]
    assert (told[0].value, told[0].threshold) == ("2e-09", "0.001")
    assert told[2].gauge is None


def test_moments_and_flags_are_no_proof() -> None:
    assert facts({"first_step": 3, "by_construction": True}) == ()


def test_numbers_far_apart_are_shown_on_a_logarithmic_bar() -> None:
    (far,) = facts({"ratio": 2e-9, "threshold": 1e-3})
    assert far.gauge == Gauge(0.12, 0.88, "log")
    (near,) = facts({"ratio": 2.0, "threshold": 1.0})
    assert near.gauge == Gauge(0.88, 0.5, "linear")
    (same,) = facts({"ratio": 1.0, "threshold": 1.0})
    assert same.gauge is not None
    assert same.gauge.value == same.gauge.threshold


@pytest.mark.parametrize("value", [float("inf"), float("nan"), "many", True, [1, 2]])
def test_what_is_no_number_has_no_bar(value: object) -> None:
    (fact,) = facts({"ratio": value, "threshold": 1.0})
    assert fact.gauge is None
    assert fact.threshold == "1"


def test_few_characters() -> None:
    assert brief(0.123456) == "0.123"
    assert brief({"a": 1.0}) == "a 1"
    assert brief([1, 2]) == "1, 2"
    assert listed([str(one) for one in range(8)]) == "0, 1, 2, 3, 4, 5 and 2 more"
