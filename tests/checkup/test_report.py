from __future__ import annotations

import json

import pytest

from paramedic.checkup.report import Entry, Report, Status
from paramedic.types import Finding, Severity


def finding() -> Finding:
    return Finding("C003", "gradient-flow", Severity.CRITICAL, 0.9, "No gradient.", 0, ("a",))


def report(*statuses: Status) -> Report:
    entries = [
        Entry(
            f"C00{place}",
            f"check-{place}",
            status,
            f"Reason {place}.",
            (finding(),) if status is Status.FAILED else (),
            {"number": 1.5},
        )
        for place, status in enumerate(statuses)
    ]
    return Report("Net", 1234, tuple(entries), 2.0)


def test_ok_and_judged() -> None:
    assert report(Status.PASSED, Status.SKIPPED).ok
    assert report(Status.PASSED, Status.SKIPPED).judged
    assert not report(Status.PASSED, Status.FAILED).ok
    assert not report(Status.SKIPPED).judged
    assert report(Status.SKIPPED).ok


def test_entries_by_status_and_by_name() -> None:
    mixed = report(Status.PASSED, Status.FAILED, Status.SKIPPED)
    assert [one.name for one in mixed.passed] == ["check-0"]
    assert [one.name for one in mixed.failed] == ["check-1"]
    assert [one.name for one in mixed.skipped] == ["check-2"]
    assert mixed.findings == (finding(),)
    assert mixed.entry("check-1") is mixed.entry("C001")
    with pytest.raises(KeyError, match=r"no check `check-9`; it has check-0"):
        mixed.entry("check-9")


def test_json_round_trip() -> None:
    mixed = report(Status.PASSED, Status.FAILED, Status.SKIPPED)
    data = json.loads(json.dumps(mixed.to_json()))
    assert data["ok"] is False
    assert Report.from_json(data) == mixed


def test_the_table_has_a_row_per_check_and_a_summary() -> None:
    lines = str(report(Status.PASSED, Status.FAILED, Status.SKIPPED)).splitlines()
    assert lines[0].split() == ["passed", "check-0", "Reason", "0."]
    assert lines[1].startswith("failed")
    assert lines[3] == "Net, 1,234 parameters: 1 passed, 1 failed, 1 skipped in 2.0 s."
