from __future__ import annotations

import json
from pathlib import Path

import pytest

from paramedic.diagnose import rates
from paramedic.diagnose.rates import NOT_MEASURED, Rates, parse, rates_of

COUNTED = {
    "sick_runs": 8,
    "found": 7,
    "named": 6,
    "healthy_runs": 44,
    "false_alarms": 0,
    "median_delay": 0.03,
}


def test_counts_come_with_their_shares() -> None:
    text = json.dumps({"source": "docs/x.md", "detectors": {"G001": {**COUNTED, "new": 1}}})
    found = parse(text)["G001"]
    assert found.recall == "7 of 8 (88 %)"
    assert found.right_name == "6 of 8 (75 %)"
    assert found.false_alarm_rate == "0 of 44 (0 %)"
    assert found.delay == "3 % of the run"
    assert found.source == "docs/x.md"


def test_what_was_not_measured_says_so() -> None:
    nothing = Rates(sick_runs=0, found=0, named=0, healthy_runs=0, false_alarms=0)
    assert {nothing.recall, nothing.false_alarm_rate, nothing.delay} == {NOT_MEASURED}
    assert rates_of("X999", "no-such-sickness") is None


def test_a_missing_file_is_no_measurement(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rates, "files", lambda package: tmp_path)
    rates._measured.cache_clear()
    assert rates_of("G001", "vanishing-gradient") is None
    (tmp_path / "rates.json").write_text(json.dumps({"detectors": {"some-slug": COUNTED}}))
    rates._measured.cache_clear()
    assert rates_of("G001", "some-slug") is not None
    rates._measured.cache_clear()
