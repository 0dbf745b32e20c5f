"""Broken models: the right check fails, and none that has nothing to do with it."""

from __future__ import annotations

import pytest

from .broken import BROKEN

SLOW = "overfit-one-batch"


@pytest.mark.parametrize("name", BROKEN)
def test_the_right_check_fails(name: str) -> None:
    broken = BROKEN[name]
    report = broken.build().checkup(ignore=() if broken.check == SLOW else (SLOW,))
    failed = {entry.name for entry in report.failed}
    assert broken.check in failed, str(report)
    assert failed <= {broken.check, *broken.beside}, str(report)
    if broken.check != "forward-shapes":  # what takes one size only cannot be run with others
        assert not any("could not be run" in entry.reason.lower() for entry in report.skipped)
    for finding in report.entry(broken.check).findings:
        assert (finding.slug, finding.code) == (broken.check, report.entry(broken.check).code)
        assert finding.message in report.entry(broken.check).reason
        assert 0.5 <= finding.confidence <= 1


def test_there_are_enough_faults() -> None:
    assert len(BROKEN) >= 20
    assert len({broken.check for broken in BROKEN.values()}) == 16, "every check has its fault"
