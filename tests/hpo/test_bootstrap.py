from __future__ import annotations

import json

import pytest

from paramedic.hpo.bootstrap import bootstrap
from paramedic.hpo.rivals import Never
from tests.hpo.test_simulator import POOL, StopsBad


def test_the_same_seed_gives_the_same_and_intervals_hold_the_mean() -> None:
    one = bootstrap("oracle", StopsBad(4.0), POOL, draws=8, seed=3)
    assert one == bootstrap("oracle", StopsBad(4.0), POOL, draws=8, seed=3)
    assert all(each.low <= each.mean <= each.high for each in one.measures.values())
    assert one.measures["time_saved"].mean > 0.4
    assert one.causes == {"bad": 25}
    assert json.loads(json.dumps(one.to_json()))["trials"] == 30


def test_doing_nothing_saves_nothing() -> None:
    found = bootstrap("none", Never(), POOL, draws=20).measures
    assert found["time_saved"].mean == 0.0
    assert found["spent"].mean == pytest.approx(1.0)
    assert found["top_ten"].mean == pytest.approx(0.5)  # each pair is played both ways round


def test_longer_studies_differ_less() -> None:
    usual = bootstrap("oracle", StopsBad(4.0), POOL, draws=10).measures["spent"]
    longer = bootstrap("oracle", StopsBad(4.0), POOL, draws=10, length=300).measures["spent"]
    assert longer.high - longer.low < usual.high - usual.low


def test_one_trial_is_too_few() -> None:
    with pytest.raises(ValueError, match="At least two recorded trials"):
        bootstrap("none", Never(), POOL[:1])
