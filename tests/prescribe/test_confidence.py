from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramedic.prescribe.confidence import (
    Outcome,
    Outcomes,
    confidence,
    ground,
    measured,
    tally,
    write,
)
from paramedic.prescribe.cure import Prior, autotrainer, estimate
from paramedic.prescribe.cures import cures

TABLE = (
    Outcome("exploding-gradient", "clip-gradients", 17, 20, "zoo"),
    Outcome("exploding-gradient", "lower-rate", 1, 2, "zoo"),
    Outcome("exploding-gradient", "clip-gradients", 1, 2, "elsewhere"),
)


def test_without_measurements_the_prior_speaks() -> None:
    assert confidence(Prior(0.87, "somebody", 3.0)) == pytest.approx((0.5 + 3 * 0.87) / 4)


def test_measurements_add_to_the_prior() -> None:
    assert confidence(Prior(0.9, "somebody", 10.0), 5, 10) == pytest.approx((0.5 + 9 + 5) / 21)


def test_many_measurements_outweigh_any_prior() -> None:
    assert confidence(Prior(1.0, "somebody", 10.0), 200, 1000) == pytest.approx(0.2, abs=0.01)


@given(st.floats(0, 1), st.floats(0.5, 20), st.integers(0, 500), st.integers(0, 500))
def test_confidence_is_a_share_and_never_certain(
    mean: float, worth: float, worked: int, failed: int
) -> None:
    found = confidence(Prior(mean, "", worth), worked, worked + failed)
    assert 0 < found < 1


@given(st.floats(0, 1), st.integers(0, 50), st.integers(0, 50))
def test_a_success_never_lowers_it(mean: float, worked: int, failed: int) -> None:
    prior = Prior(mean, "", 5.0)
    before = confidence(prior, worked, worked + failed)
    assert confidence(prior, worked + 1, worked + failed + 1) >= before


def test_its_ground_in_words() -> None:
    prior = autotrainer(0.9, "S3")
    assert ground(prior) == "0.9 by AUTOTRAINER's S3; not measured by us"
    assert ground(prior, 17, 20) == (
        "worked in 17 of 20 measured repairs; before that 0.9 by AUTOTRAINER's S3"
    )
    assert "our estimate" in ground(estimate(0.5))


def test_counts_of_several_sources_add_up() -> None:
    assert Outcomes(TABLE).count("exploding-gradient", "clip-gradients") == (18, 22)
    assert Outcomes(TABLE).count("exploding-gradient", "stop") == (0, 0)


def test_json_round_trip(tmp_path: Path) -> None:
    table = Outcomes(TABLE, {"command": "make bench-remedies"})
    assert Outcomes.from_json(json.loads(json.dumps(table.to_json()))) == table
    file = tmp_path / "outcomes.json"
    write(TABLE, table.provenance, file)
    assert Outcomes.from_json(json.loads(file.read_text())) == table
    write((), {}, file)
    assert Outcomes.from_json(json.loads(file.read_text())) == Outcomes()


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="worked 3 times of 2"):
        Outcome("a", "b", 3, 2)
    with pytest.raises(ValueError, match="lacks worked, tried"):
        Outcomes.from_json({"outcomes": [{"problem": "a", "remedy": "b"}]})


def test_single_repairs_are_counted() -> None:
    results = [("p", "r", True), ("p", "r", False), ("p", "s", True)]
    assert tally(results, "x") == (Outcome("p", "r", 1, 2, "x"), Outcome("p", "s", 1, 1, "x"))


def test_the_table_of_the_package_is_of_cures_that_exist() -> None:
    known = {(problem, cure.slug) for cure in cures() for problem in cure.against}
    for outcome in measured().outcomes:
        assert (outcome.problem, outcome.remedy) in known
