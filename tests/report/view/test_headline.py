from __future__ import annotations

from dataclasses import replace

import pytest

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.verdict import Assessment
from paramedic.report.view.findings import cards
from paramedic.report.view.headline import Headline, headline
from paramedic.report.view.judgement import Judgement
from paramedic.types import Kind
from tests.report.made import (
    EFFECT,
    FAULT,
    FELL,
    LEAK,
    NOTE,
    ROOT,
    STUCK,
    YOUNG,
    judged,
    judgement,
)  # fmt: skip


def _headline(told: Judgement) -> Headline:
    return headline(told, cards(told), 1200, 300)


def test_a_run_that_does_not_learn() -> None:
    told = _headline(judgement())
    assert told.sentence == f"Not learning: {STUCK.reason}."
    assert (told.tone, told.root, told.began) == ("critical", "vanishing-gradient", 10)
    assert told.detail == f"Most likely cause (not proven): vanishing gradient. {ROOT.message}"


def test_from_the_start() -> None:
    told = _headline(judged(Diagnosis(replace(ROOT, evidence={"first_step": 0}))))
    assert (told.word, told.root, told.began) == ("Not learning", "vanishing-gradient", 0)


@pytest.mark.parametrize(
    ("assessment", "tone"), [(FELL, "warning"), (YOUNG, "warning"), (STUCK, "critical")]
)
def test_a_fault_comes_first_whatever_the_verdict(assessment: Assessment, tone: str) -> None:
    told = _headline(judged(Diagnosis(ROOT, (FAULT,)), assessment))
    assert (told.tone, told.root) == (tone, "missing-zero-grad")
    assert told.sentence.endswith(f": {assessment.reason}.")
    assert told.detail.startswith("Fault: ")
    assert told.detail.endswith(FAULT.message)


def test_a_symptom_alone() -> None:
    told = _headline(judged(Diagnosis(replace(EFFECT, kind=Kind.SYMPTOM))))
    assert told.detail.startswith("Symptom: ")
    assert told.root == "loss-plateau"


@pytest.mark.parametrize("found", [Diagnosis(), Diagnosis(NOTE), Diagnosis(ROOT, (), (EFFECT,))])
def test_a_run_that_learns_has_nothing_to_worry_about(found: Diagnosis) -> None:
    told = _headline(judged(found, FELL))
    assert told == Headline(
        "healthy", "Learning", "Learning: the loss fell from 2 to 1.",
        "1,200 steps, 300 of them looked at.",
    )  # fmt: skip


def test_a_run_that_learns_too_well() -> None:
    told = _headline(judged(Diagnosis(LEAK, (NOTE,)), FELL))
    assert told.detail == f"{LEAK.message} 1,200 steps, 300 of them looked at."
    assert (told.tone, told.root) == ("healthy", None)


def test_not_judged() -> None:
    told = _headline(Judgement())
    assert told.sentence == "Cannot tell: nothing was judged yet."
    assert told.tone == "unjudged"
    early = _headline(judged(Diagnosis(ROOT), YOUNG))
    assert (early.tone, early.word, early.root) == ("unjudged", "Too early to say", None)
