"""The JSON report, and reading that of version 1."""

from __future__ import annotations

from typing import Any

import pytest

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import diagnose
from paramedic.diagnose.conclusion import Conclusion, conclude
from paramedic.diagnose.document import (
    SCHEMA,
    TrainingReport,
    document,
    exit_code,
    explained_by,
    overall,
    read,
)
from paramedic.diagnose.verdict import Assessment
from paramedic.types import Kind, Remedy, Severity, Verdict
from tests.diagnose.scripted import finding

FAULT = finding("no-zero-grad", severity=Severity.CRITICAL, kind=Kind.FAULT)
LIKELY = finding("dead-units", severity=Severity.CRITICAL)


def _concluded(verdict: Verdict) -> Conclusion:
    return Conclusion(Assessment(verdict, f"because of {verdict}"))


def _training(verdict: Verdict, **settings: Any) -> TrainingReport:
    cases = [Case(LIKELY, 3, 50, None)]
    found = diagnose(cases, [])
    concluded = conclude(found, cases, Assessment(verdict, "why", {"steps": 10.0}))
    return TrainingReport("model", 100, concluded, found, **settings)


def test_a_training() -> None:
    remedy = Remedy("relu", "Use ReLU", 0.8, against=("dead-units",))
    shown = _training(
        Verdict.NOT_LEARNING,
        remedies=(remedy,),
        not_checked={"x": "no labels"},
        details=lambda one: {"source": []},
        verified={"relu": {"before": 1}},
    ).to_json()
    assert (shown["verdict"], shown["reason"], shown["numbers"]) == (
        "not learning", "why", {"steps": 10.0}
    )  # fmt: skip
    (only,) = shown["findings"]
    assert (only["role"], only["kind"], only["severity"]) == ("suspicion", "suspicion", "info")
    assert (only["severity_if_cause"], only["source"]) == ("critical", [])
    assert only["remedies"][0]["verified"] == {"before": 1}
    assert shown["not_checked"] == [{"slug": "x", "why": "no labels"}]


def test_a_suspicion_of_a_learning_run_is_a_note() -> None:
    (only,) = _training(Verdict.LEARNING).to_json()["findings"]
    assert only["role"] == "note"


@pytest.mark.parametrize(
    ("verdicts", "chosen", "code"),
    [
        ([], Verdict.CANNOT_TELL, 2),
        ([Verdict.LEARNING, Verdict.TOO_EARLY], Verdict.LEARNING, 0),
        ([Verdict.LEARNING, Verdict.NOT_LEARNING], Verdict.NOT_LEARNING, 1),
        ([Verdict.DIVERGED, Verdict.NOT_LEARNING], Verdict.DIVERGED, 1),
        ([Verdict.CANNOT_TELL, Verdict.TOO_EARLY], Verdict.TOO_EARLY, 2),
    ],
)
def test_several_trainings(verdicts: list[Verdict], chosen: Verdict, code: int) -> None:
    concluded = [_concluded(verdict) for verdict in verdicts]
    assert overall(concluded).verdict is chosen
    assert exit_code(concluded) == code


def test_the_document() -> None:
    shown = document("train.py", [_training(Verdict.LEARNING)], errors=[])
    assert shown["schema"] == SCHEMA
    assert (shown["verdict"], shown["exit_code"], shown["steps"]) == ("learning", 0, 100)
    assert shown["errors"] == []
    assert document("train.py", [])["reason"] == "no training was seen"
    unjudged = Assessment(Verdict.TOO_EARLY, "it crashed")
    shown = document("train.py", [], unjudged=unjudged)
    assert (shown["verdict"], shown["reason"]) == ("too early to say", "it crashed")


def test_explained_by_nothing() -> None:
    assert explained_by(LIKELY, diagnose([Case(LIKELY, 1, 1)], [])) is None


OLD = {
    "schema": "paramedic/report@1",
    "program": "train.py",
    "verdict": "sick",
    "steps": 40,
    "findings": [
        {
            "code": "G001", "slug": "vanishing-gradient", "severity": "critical",
            "confidence": 0.9, "first_step": 3, "message": "…", "where": [], "source": [],
            "evidence": {}, "explained_by": None, "remedies": [], "training": "model",
        }
    ],
    "not_checked": [],
    "overhead": 0.01,
    "trace": None,
}  # fmt: skip


def test_a_report_of_version_1_has_no_verdict() -> None:
    found = read(OLD)
    assert (found["schema"], found["verdict"], found["exit_code"]) == (SCHEMA, "cannot tell", 2)
    (training,) = found["trainings"]
    (only,) = training["findings"]
    assert (only["severity"], only["severity_if_cause"]) == ("info", "critical")
    assert "training" not in only
    assert read(found) == found
    empty = read({**OLD, "findings": []})
    assert [one["name"] for one in empty["trainings"]] == ["train.py"]


def test_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="report@2"):
        read({"schema": "other"})
