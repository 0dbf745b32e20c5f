from __future__ import annotations

import pytest

from paramedic.hpo import calibration
from paramedic.hpo.calibration import calibrate
from paramedic.hpo.policy import Policy
from paramedic.hpo.timeline import Timeline
from paramedic.hpo.verdict import Visit


def trial(number: int) -> Timeline:
    """The best are best from the start; the others never get better."""
    level = float((7 * number) % 40)
    values = tuple(level if level else 10.0 - age for age in range(10))
    visits = tuple(Visit(age + 1, age, value=values[age]) for age in range(10))
    return Timeline(number, values, tuple(map(float, range(1, 11))), visits)


def test_settings_are_found_on_one_half_and_tested_on_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choices = {"patience": (0.9, 0.3, 0.0), "warm_up": (9,)}
    monkeypatch.setattr(calibration, "CHOICES", choices)
    begin = Policy(patience=0.9, chance=0.0)
    found = calibrate([[trial(number) for number in range(40)]], begin, draws=3)
    assert found.tried == 4  # the first, two of `patience`, one of `warm_up`
    assert found.changed == {"patience": 0.3}
    assert found.policy.patience == 0.3
    assert found.testing[0].trials == found.tuning[0].trials == 20
    assert found.testing[0].measures["spent"].mean < found.default[0].measures["spent"].mean
