"""What is said of a finding depends on what it is worth, and on the verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import diagnose
from paramedic.diagnose.conclusion import Conclusion, Note, conclude
from paramedic.diagnose.verdict import Assessment
from paramedic.types import Finding, Kind, Severity, Verdict
from tests.diagnose.scripted import finding

FAULT = finding("no-zero-grad", severity=Severity.CRITICAL, kind=Kind.FAULT)
SYMPTOM = finding("plateau", severity=Severity.WARNING, kind=Kind.SYMPTOM)
SUSPICION = finding("dead-units", severity=Severity.CRITICAL, kind=Kind.SUSPICION)
LEAK = finding("too-good-to-be-true", severity=Severity.INFO, kind=Kind.SYMPTOM)
REMARK = finding("remark", severity=Severity.INFO, kind=Kind.FAULT)


def _concluded(verdict: Verdict, *findings: Finding, closed: int | None = None) -> Conclusion:
    cases = [Case(one, one.step, 50, closed) for one in findings]
    return conclude(diagnose(cases, []), cases, Assessment(verdict, "why"))


@pytest.mark.parametrize("verdict", [Verdict.LEARNING, Verdict.TOO_EARLY, Verdict.CANNOT_TELL])
def test_a_run_that_has_not_failed_shows_faults_alone(verdict: Verdict) -> None:
    found = _concluded(verdict, FAULT, SYMPTOM, SUSPICION)
    assert found.faults == (FAULT,)
    assert (found.symptoms, found.suspicions) == ((), ())
    assert {note.finding.slug for note in found.notes} == {"plateau", "dead-units"}
    assert found.severity(SUSPICION) is Severity.INFO
    assert found.severity(FAULT) is Severity.CRITICAL


@pytest.mark.parametrize("verdict", [Verdict.NOT_LEARNING, Verdict.DIVERGED])
def test_a_run_that_failed_shows_its_likely_causes(verdict: Verdict) -> None:
    found = _concluded(verdict, SYMPTOM, SUSPICION)
    assert (found.symptoms, found.suspicions) == ((SYMPTOM,), (SUSPICION,))
    assert found.severity(SYMPTOM) is Severity.WARNING
    assert found.severity(SUSPICION) is Severity.INFO  # it is not proven
    assert found.leading == SUSPICION


def test_faults_come_before_suspicions() -> None:
    found = _concluded(Verdict.NOT_LEARNING, SUSPICION, FAULT)
    assert found.causes == (FAULT, SUSPICION)
    assert found.leading == FAULT


def test_what_is_over_is_a_note_with_its_interval() -> None:
    found = _concluded(Verdict.LEARNING, SYMPTOM, closed=80)
    assert found.notes == (Note(SYMPTOM, SYMPTOM.step, 50),)
    assert found.notes[0].interval == f"steps {SYMPTOM.step} to 50"
    assert Note(SYMPTOM, 1200).interval == "since step 1,200"
    assert _concluded(Verdict.NOT_LEARNING, FAULT, closed=80).faults == ()


def test_a_remark_is_no_fault() -> None:
    assert _concluded(Verdict.LEARNING, REMARK).faults == ()


@pytest.mark.parametrize("verdict", [Verdict.LEARNING, Verdict.CANNOT_TELL, Verdict.TOO_EARLY])
def test_notes_about_the_result_are_told_apart_from_those_about_dynamics(verdict: Verdict) -> None:
    found = _concluded(verdict, LEAK, SUSPICION)
    assert [note.finding for note in found.remarks] == [LEAK]
    assert len(found.notes) == 2
    assert found.exit_code == _concluded(verdict).exit_code


def test_they_are_of_no_interest_once_over_or_where_the_run_fails() -> None:
    assert _concluded(Verdict.LEARNING, LEAK, closed=80).remarks == ()
    assert _concluded(Verdict.NOT_LEARNING, LEAK).remarks == ()


@pytest.mark.parametrize(
    ("verdict", "findings", "code"),
    [
        (Verdict.LEARNING, (), 0),
        (Verdict.LEARNING, (SUSPICION, SYMPTOM), 0),
        (Verdict.LEARNING, (FAULT,), 1),
        (Verdict.NOT_LEARNING, (), 1),
        (Verdict.DIVERGED, (), 1),
        (Verdict.TOO_EARLY, (SUSPICION,), 2),
        (Verdict.CANNOT_TELL, (), 2),
        (Verdict.CANNOT_TELL, (FAULT,), 1),
    ],
)
def test_exit_code(verdict: Verdict, findings: tuple[Finding, ...], code: int) -> None:
    assert _concluded(verdict, *findings).exit_code == code


def test_a_loss_that_compares_the_wrong_things_proves_nothing_by_falling() -> None:
    fault = finding("loss-shape-mismatch", severity=Severity.CRITICAL, kind=Kind.FAULT)
    case = Case(fault, 0, 50)
    falls = Assessment(Verdict.LEARNING, "the loss fell")
    told = conclude(diagnose([case], []), [case], falls)
    assert (told.verdict, told.exit_code) == (Verdict.CANNOT_TELL, 1)
    assert told.assessment.reason.startswith("the loss fell, but it does not compare")
    note = replace(case, finding=replace(fault, severity=Severity.INFO))
    assert conclude(diagnose([note], []), [note], falls).verdict is Verdict.LEARNING
