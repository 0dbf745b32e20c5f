"""How a run is, in a word and in a sentence."""

from __future__ import annotations

import re

import numpy as np
import pytest

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import diagnose
from paramedic.diagnose.health import Condition, condition, trend
from paramedic.types import Health, Severity
from tests.diagnose.scripted import finding
from tests.diagnose.windows import window

STEPS = np.arange(300)
NOISE = 0.02 * np.random.default_rng(0).normal(size=300)
FALLING = 0.3 + 2 * np.exp(-STEPS / 150) + NOISE
LEVEL = 0.5 + NOISE
RISING = 0.3 + 0.01 * STEPS + NOISE


def _condition(losses: object, *cases: Case) -> Condition:
    return condition(diagnose(cases, []), cases, window(losses=losses))


def _case(severity: Severity, closed: int | None = None) -> Case:
    return Case(finding("high-loss", severity=severity), 10, 50, closed)


@pytest.mark.parametrize(
    ("losses", "severity", "closed", "health"),
    [
        (LEVEL, None, None, Health.HEALTHY),
        (LEVEL, Severity.INFO, None, Health.HEALTHY),
        (FALLING, Severity.WARNING, None, Health.STRAINED),
        (LEVEL, Severity.WARNING, None, Health.SICK),
        (RISING, Severity.WARNING, None, Health.SICK),
        (LEVEL, Severity.WARNING, 60, Health.STRAINED),
        (FALLING, Severity.CRITICAL, None, Health.CRITICAL),
        (LEVEL, Severity.CRITICAL, 60, Health.STRAINED),
        ([], Severity.WARNING, None, Health.SICK),
    ],
)
def test_health(
    losses: object, severity: Severity | None, closed: int | None, health: Health
) -> None:
    cases = () if severity is None else (_case(severity, closed),)
    assert _condition(losses, *cases).health is health


@pytest.mark.parametrize(
    ("losses", "words"),
    [
        (FALLING, "the loss is falling"),
        (LEVEL, "the loss is level"),
        (RISING, "the loss is rising"),
        ([*LEVEL, np.nan], "the loss is not finite"),
        ([1.0, 0.9], "too few losses to tell a trend"),
        ([], "too few losses to tell a trend"),
    ],
)
def test_trend(losses: object, words: str) -> None:
    assert trend(window(losses=losses)).startswith(words)


def test_the_numbers_of_the_trend() -> None:
    words = re.findall(r"[\d.]+", trend(window(losses=FALLING)))
    begin, end, steps = map(float, words)
    assert steps == 144
    assert begin == pytest.approx(0.3 + 2 * np.exp(-165 / 150), rel=0.03)
    assert end == pytest.approx(0.3 + 2 * np.exp(-291 / 150), rel=0.03)


def test_a_skipped_step_is_not_the_trend() -> None:
    skipped = [False] * 300 + [True]
    assert "level" in trend(window(losses=[*LEVEL, np.nan], skipped=skipped))


def test_what_was_contradicted_does_not_count() -> None:
    case = _case(Severity.CRITICAL)
    assert condition(diagnose([], []), [case], window(losses=LEVEL)).health is Health.HEALTHY


def test_words() -> None:
    sick = _condition(LEVEL, _case(Severity.WARNING))
    assert str(sick).startswith("sick (high-loss); the loss is level (0.5")
    assert str(_condition([], _case(Severity.INFO))).startswith("healthy; too few")
    assert sick.to_json() == {"health": "sick", "trend": sick.trend, "root": "high-loss"}
    assert sick.health == "sick"
