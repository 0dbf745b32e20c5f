from __future__ import annotations

import pytest

from paramedic.prescribe.remedies.fix_labels import FixLabels
from tests.prescribe.cases import dose, finding


@pytest.mark.parametrize(
    ("evidence", "code"),
    [
        ({"smallest": 1, "outputs": 10}, "targets = targets - 1"),
        ({"smallest": 0.0, "largest": 2.0}, "targets = targets / 2"),
        ({"smallest": -1.0, "largest": 1.0}, "targets = (targets + 1) / 2"),
        ({"smallest": 1.0, "largest": 3.0}, "targets = (targets - 1) / 2"),
    ],
)
def test_labels_are_moved_by_what_was_seen(evidence: dict[str, float], code: str) -> None:
    assert dose(FixLabels(), finding("invalid-labels", **evidence)).code == code


def test_ignored_mixed_and_constant_labels_are_to_be_looked_at() -> None:
    assert "!= -100" in dose(FixLabels(), finding("invalid-labels", batches=3)).code
    assert "!= -100" in dose(FixLabels(), finding("invalid-labels", value=-100.0)).code
    assert "indices" in dose(FixLabels(), finding("invalid-labels", changes=0.9)).code
    assert "unique" in dose(FixLabels(), finding("invalid-labels", value=3.0)).code


def test_targets_that_are_not_finite_are_to_be_found() -> None:
    """To leave such samples out has not helped often enough to be advised."""
    assert "isfinite" in dose(FixLabels(), finding("invalid-labels", share=0.1)).code
