from __future__ import annotations

from dataclasses import replace

from paramedic.diagnose.causes import Diagnosis
from paramedic.report.view.findings import Link, cards, links, title
from paramedic.types import Finding, Kind, Severity
from tests.report.made import (
    EFFECT,
    FAULT,
    FELL,
    NOTE,
    REMEDY,
    ROOT,
    VERIFIED,
    YOUNG,
    judged,
    judgement,
)  # fmt: skip


def test_every_finding_has_its_role() -> None:
    found = {card.slug: card for card in cards(judgement())}
    assert {slug: card.role for slug, card in found.items()} == {
        "vanishing-gradient": "likely cause, not proven",
        "too-few-steps": "note",
        "loss-plateau": "consequence",
        "learning-rate-too-high": "set aside",
    }
    assert found["loss-plateau"].cause == "vanishing-gradient"
    assert list(found) == [
        "vanishing-gradient", "loss-plateau", "too-few-steps", "learning-rate-too-high",
    ]  # fmt: skip


def test_only_facts_are_warnings() -> None:
    symptom = Finding("L002", "loss-explosion", Severity.CRITICAL, 0.9, "Up.", 9, kind=Kind.SYMPTOM)
    found = cards(judged(Diagnosis(ROOT, (symptom, FAULT))))
    assert [(card.slug, card.role, card.severity) for card in found] == [
        ("missing-zero-grad", "fault", "warning"),
        ("vanishing-gradient", "likely cause, not proven", "info"),
        ("loss-explosion", "symptom", "critical"),
    ]


def test_of_a_run_that_learns_everything_but_faults_is_a_note() -> None:
    for assessment in (FELL, YOUNG):
        told = judged(Diagnosis(ROOT, (FAULT,), (EFFECT,)), assessment)
        assert [(card.role, card.severity) for card in cards(told)] == [
            ("fault", "warning"), ("note", "info"), ("note", "info"),
        ]  # fmt: skip
        assert links(told) == ()


def test_a_likely_cause_in_full() -> None:
    root = cards(judgement())[0]
    assert (root.title, root.severity, root.what) == ("Vanishing gradient", "info", ROOT.message)
    assert (root.began, root.told, root.seen, root.gone) == (10, 40, 99, None)
    assert "factors make a product" in root.why
    assert root.facts[0].name == "ratio"
    assert root.source[0].text == "self.body = nn.Tanh()"
    (advice,) = root.advice
    assert (advice.remedy, advice.verified) == (REMEDY, VERIFIED)


def test_what_went_is_told() -> None:
    effect = next(card for card in cards(judgement()) if card.slug == EFFECT.slug)
    assert (effect.told, effect.gone) == (60, 81)


def test_the_chain() -> None:
    assert links(judgement()) == (Link("vanishing-gradient", "loss-plateau"),)


def test_a_chain_of_three() -> None:
    last = Finding("L006", "no-more-gain", Severity.WARNING, 0.5, "Enough.", 90)
    middle = replace(EFFECT, explains=("no-more-gain",))
    found = links(judged(Diagnosis(ROOT, (), (middle, last))))
    assert found == (
        Link("vanishing-gradient", "loss-plateau"),
        Link("loss-plateau", "no-more-gain"),
    )


def test_tried_remedies_come_first() -> None:
    other = replace(REMEDY, slug="other", title="Something else", diff="", confidence=0.99)
    told = replace(judgement(), remedies=(other, REMEDY))
    assert [one.remedy.slug for one in cards(told)[0].advice] == [REMEDY.slug, "other"]


def test_a_detector_that_is_not_installed() -> None:
    strange = Finding("Z123", "strange-thing", Severity.WARNING, 0.5, "Odd.", 3)
    (card,) = cards(judged(Diagnosis(strange)))
    assert (card.title, card.why) == ("Strange thing", "")
    assert title("") == ""


def test_a_note_alone() -> None:
    (card,) = cards(judged(Diagnosis(NOTE)))
    assert card.role == "note"
