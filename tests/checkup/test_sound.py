"""Sound models pass: no check fails, and none falls over."""

from __future__ import annotations

import pytest

from paramedic.checkup import Status

from .sound import SOUND


@pytest.mark.parametrize("name", SOUND)
def test_no_false_failure(name: str) -> None:
    report = SOUND[name]().checkup()
    assert report.failed == (), str(report)
    assert not any("could not be run" in entry.reason.lower() for entry in report.skipped)
    assert len(report.passed) >= 9, str(report)


def test_there_are_enough_kinds() -> None:
    assert len(SOUND) >= 12


@pytest.mark.parametrize(
    ("name", "checks"),
    [
        ("gpt-with-tied-weights", ["attention", "position-embeddings", "layer-normalization"]),
        ("gpt-with-rotary-positions", ["attention", "position-embeddings"]),
        ("lstm-language-model", ["attention"]),
        ("vit-with-a-head-that-begins-at-zero", ["attention", "position-embeddings"]),
        ("transformer-encoder-with-padding", ["attention", "position-embeddings"]),
        ("lstm-with-time-first", ["sample-independence", "forward-shapes"]),
    ],
)
def test_what_applies_is_not_skipped(name: str, checks: list[str]) -> None:
    report = SOUND[name]().checkup(select=checks)
    assert [entry.status for entry in report.entries] == [Status.PASSED] * len(checks), str(report)
