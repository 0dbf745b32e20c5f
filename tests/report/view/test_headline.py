from __future__ import annotations

from dataclasses import replace

from paramedic.diagnose.causes import Diagnosis
from paramedic.report.view.findings import cards
from paramedic.report.view.headline import Headline, headline
from paramedic.report.view.judgement import Judgement
from tests.report.made import NOTE, ROOT, judgement


def _headline(told: Judgement) -> Headline:
    return headline(told, cards(told), 1200, 300)


def test_sick() -> None:
    told = _headline(judgement())
    assert told.sentence == "Sick: vanishing gradient since step 10, and one more finding."
    assert (told.health, told.root, told.began) == ("critical", "vanishing-gradient", 10)
    assert told.detail == ROOT.message


def test_alone_and_from_the_start() -> None:
    root = replace(ROOT, evidence={"first_step": 0})
    assert _headline(Judgement(Diagnosis(root))).sentence == (
        "Sick: vanishing gradient from the first step."
    )


def test_healthy() -> None:
    told = _headline(Judgement())
    assert told.sentence == "Healthy: nothing was found in 1,200 steps, 300 of them looked at."
    assert "nothing to worry about" in _headline(Judgement(Diagnosis(NOTE))).sentence


def test_not_judged() -> None:
    told = _headline(Judgement(judged=False, why_not="no step of it was looked at"))
    assert told.sentence == "Could not be judged: no step of it was looked at."
    assert told.health == "unjudged"
