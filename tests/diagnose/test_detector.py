from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from paramedic.diagnose.detector import Detector
from paramedic.types import Severity
from tests.diagnose.scripted import Silent
from tests.diagnose.windows import window


def test_thresholds_are_the_fields() -> None:
    assert Silent(share=0.75).thresholds() == {"quiet": 1e-12, "share": 0.75, "frames": 3}


def test_a_detector_keeps_no_state() -> None:
    silent = Silent()
    with pytest.raises(FrozenInstanceError):
        silent.share = 1.0  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        silent.memory = []  # type: ignore[attr-defined]


def test_examine_must_be_written() -> None:
    with pytest.raises(TypeError, match="examine"):
        Detector()  # type: ignore[abstract]


def test_a_finding_carries_the_names_and_the_newest_step() -> None:
    seen = window(steps=[0, 5], losses=[1.0, 2.0])
    found = Silent().finding(seen, "Hush.", confidence=0.5, where=iter(["fc"]), variance=0.0)
    assert (found.code, found.slug, found.step) == ("X001", "silent-layer", 5)
    assert (found.where, found.explains) == (("fc",), ("loss-plateau",))
    assert found.evidence == {"variance": 0.0}
    assert found.severity is Severity.WARNING


def test_by_default_nothing_is_missing_and_nothing_prescribed() -> None:
    silent = Silent()
    seen = window(losses=[1.0])
    found = silent.finding(seen, "Hush.", confidence=0.5)
    assert silent.missing(seen) is None
    assert list(silent.prescribe(found)) == []
