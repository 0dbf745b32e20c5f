"""What is reported while a run goes on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import diagnose
from paramedic.diagnose.conclusion import conclude
from paramedic.diagnose.verdict import Assessment
from paramedic.probe.announcer import Announcer
from paramedic.types import Finding, Kind, Severity, Verdict
from tests.diagnose.scripted import finding

FAULT = finding("no-zero-grad", severity=Severity.CRITICAL, kind=Kind.FAULT)
FIRST = finding("dead-units", severity=Severity.CRITICAL)
SECOND = finding("high-rate", severity=Severity.WARNING)


def _engine(verdict: Verdict, *findings: Finding) -> Any:
    cases = [Case(one, one.step, 50) for one in findings]
    concluded = conclude(diagnose(cases, []), cases, Assessment(verdict, "why"))
    return SimpleNamespace(cases=cases, conclusion=lambda: concluded)


def _slugs(found: list[Finding]) -> list[str]:
    return [one.slug for one in found]


def test_a_fault_is_reported_once() -> None:
    announcer = Announcer()
    engine = _engine(Verdict.LEARNING, FAULT, FIRST)
    assert _slugs(announcer.news(engine, 5)) == ["no-zero-grad"]
    announcer.wake()
    assert announcer.news(engine, 6) == []


def test_a_suspicion_waits_for_the_verdict() -> None:
    announcer = Announcer()
    assert announcer.news(_engine(Verdict.TOO_EARLY, FIRST), 5) == []
    failed = _engine(Verdict.NOT_LEARNING, FIRST, SECOND)
    assert announcer.news(failed, 6) == []  # too soon to ask again
    assert announcer.news(failed, 100) == []  # many learn nothing in their first hundred steps
    (only,) = announcer.news(failed, 200)
    assert only.slug == "dead-units"
    assert only.message.startswith("not learning: why. Most likely cause (not proven): ")
    assert only.severity is Severity.WARNING


def test_a_run_that_learns_after_all_is_not_reported() -> None:
    announcer = Announcer()
    failed, learns = _engine(Verdict.NOT_LEARNING, FIRST), _engine(Verdict.LEARNING, FIRST)
    assert announcer.news(failed, 100) == announcer.news(learns, 150) == []
    assert announcer.news(failed, 210) == announcer.news(failed, 300) == []
    assert _slugs(announcer.news(failed, 420)) == ["dead-units"]


def test_at_the_end_it_is_said_at_once() -> None:
    failed = _engine(Verdict.NOT_LEARNING, FIRST)
    assert _slugs(Announcer().news(failed, 60, ended=True)) == ["dead-units"]


def test_a_fault_says_more_than_a_suspicion() -> None:
    failed = _engine(Verdict.DIVERGED, FAULT, FIRST)
    assert _slugs(Announcer().news(failed, 5)) == ["no-zero-grad"]


def test_nothing_to_report() -> None:
    assert Announcer().news(_engine(Verdict.NOT_LEARNING), 5) == []
