"""How a run is, in a word and in a sentence."""

from __future__ import annotations

import re

import numpy as np
import pytest

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import diagnose
from paramedic.diagnose.conclusion import conclude
from paramedic.diagnose.condition import Condition, condition, tone, trend
from paramedic.diagnose.verdict import judge
from paramedic.types import Kind, Severity, Verdict
from tests.diagnose.scripted import finding
from tests.diagnose.windows import window

STEPS = np.arange(300)
NOISE = 0.02 * np.random.default_rng(0).normal(size=300)
FALLING = 0.3 + 2 * np.exp(-STEPS / 150) + NOISE
LEVEL = 0.5 + NOISE
RISING = 0.3 + 0.01 * STEPS + NOISE


def _condition(losses: object, *cases: Case) -> Condition:
    shown = window(losses=losses)
    return condition(conclude(diagnose(cases, []), cases, judge(shown)), shown)


def _case(severity: Severity, kind: Kind = Kind.SUSPICION, closed: int | None = None) -> Case:
    return Case(finding("high-loss", severity=severity, kind=kind), 10, 50, closed)


@pytest.mark.parametrize(
    ("losses", "cases", "verdict", "root", "colour"),
    [
        (FALLING, (), Verdict.LEARNING, None, "healthy"),
        (FALLING, (_case(Severity.CRITICAL),), Verdict.LEARNING, None, "healthy"),
        (
            FALLING,
            (_case(Severity.CRITICAL, Kind.FAULT),),
            Verdict.LEARNING,
            "high-loss",
            "warning",
        ),
        (LEVEL, (_case(Severity.WARNING),), Verdict.NOT_LEARNING, "high-loss", "critical"),
        (LEVEL, (_case(Severity.INFO),), Verdict.NOT_LEARNING, None, "critical"),
        ([], (_case(Severity.WARNING),), Verdict.TOO_EARLY, None, "unjudged"),
    ],
)
def test_condition(
    losses: object, cases: tuple[Case, ...], verdict: Verdict, root: str | None, colour: str
) -> None:
    found = _condition(losses, *cases)
    assert (found.verdict, found.root, found.tone) == (verdict, root, colour)


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


def test_words() -> None:
    bad = _condition(LEVEL, _case(Severity.WARNING))
    assert str(bad).startswith("not learning (high-loss); the loss is level (0.5")
    assert str(_condition([], _case(Severity.INFO))).startswith("too early to say; too few")
    values = {"verdict": "not learning", "trend": bad.trend, "root": "high-loss", "fault": False}
    assert bad.to_json() == values


def test_a_fault_does_not_change_the_verdict_but_the_colour() -> None:
    assert tone(Verdict.LEARNING, fault=True) == "warning"
    assert tone(Verdict.CANNOT_TELL, fault=True) == "warning"
    assert tone(Verdict.DIVERGED, fault=True) == "critical"
