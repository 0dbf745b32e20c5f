from __future__ import annotations

import subprocess
import sys

import pytest

from paramedic.diagnose.rules import rules
from paramedic.prescribe.cures import WITHOUT_CURE, cure_named, cures, cures_for


def test_every_problem_has_a_cure_or_a_reason_why_not() -> None:
    for kind in rules():
        if not kind.__module__.startswith("paramedic."):
            continue
        assert bool(cures_for(kind.slug)) != bool(WITHOUT_CURE.get(kind.slug)), kind.slug


def test_cures_are_found_by_walking_the_package() -> None:
    assert {"lower-rate", "clip-gradients", "zero-grad"} <= {cure.slug for cure in cures()}
    assert cure_named("zero-grad") in cures_for("missing-zero-grad")


def test_an_unknown_cure_is_told_with_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"no cure `prayer`; there are .*zero-grad"):
        cure_named("prayer")


def test_torch_is_not_needed() -> None:
    code = (
        "import sys; from paramedic.prescribe import pharmacist, escalation, calibration, replay;"
        "from paramedic.prescribe.cures import cures; cures();"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
