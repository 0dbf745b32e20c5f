from __future__ import annotations

import math
from dataclasses import replace

import pytest
from markupsafe import Markup

from paramedic.report import wording
from paramedic.report.view.run import Cost
from paramedic.run.outcome import Verified
from tests.report.made import VERIFIED, sick_run


def test_nothing_is_hidden() -> None:
    assert wording.visible("a\x1b[2Jb\u202ec\x00") == "a\\x1b[2Jb\\u202ec\\x00"
    assert wording.visible("two\nlines\tü") == "two\nlines\tü"
    assert wording.visible(Markup("\x00")) == "\x00", "what is ours is left alone"
    assert wording.visible_all({"a\x07": ["\x07", 1, None]}) == {"a\\x07": ["\\x07", 1, None]}


def test_long_names_lose_their_middle() -> None:
    assert wording.short("layer") == "layer"
    cut = wording.short("a" * 5000 + "z" * 5000)
    assert len(cut) < 200
    assert cut.startswith("aaa")
    assert cut.endswith("zzz")


def test_code_between_backticks() -> None:
    told = [(part.text, part.code) for part in wording.ticked("use `a` or `b`.")]
    assert told == [("use ", False), ("a", True), (" or ", False), ("b", True), (".", False)]
    assert [(one.text, one.code) for one in wording.ticked("a `b")] == [("a `b", False)]
    assert wording.ticked("") == []


def test_paragraphs_and_the_verdict() -> None:
    assert wording.paragraphs("One\nline.\n\nTwo.") == ["One line.", "Two."]
    assert wording.split_word("Not learning: at all.") == ("Not learning", ": at all.")
    assert wording.split_word("Learning") == ("Learning", "")


def test_stories() -> None:
    card = sick_run().cards[0]
    assert wording.story(card) == "since step 10, told at step 40"
    gone = replace(card, began=0, told=0, gone=1234)
    assert wording.story(gone) == "from the first step, gone at step 1,234"


def test_costs() -> None:
    assert wording.spent(Cost(0.012, 1.5, 10, 1000)) == (
        "10 of 1,000 steps were looked at; watching took 1.5 s, 1.2 % of the time of the training."
    )
    assert "was not recorded" in wording.spent(Cost(None, None, 0, 0))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1.5, "1.5 s"), (300, "5 min"), (9000, "2.5 h"), (math.nan, "an unknown time")],
)
def test_durations(seconds: float, words: str) -> None:
    assert wording.duration(seconds) == words


def test_figures() -> None:
    assert wording.figure(0.123456) == "0.1235"
    assert wording.figure(None) == wording.figure(math.inf) == "–"
    assert wording.last_loss(sick_run()) == pytest.approx(1.01)
    assert math.isnan(wording.last_loss(replace(sick_run(), panels=())))


def test_cards_by_number_and_roots() -> None:
    run = sick_run()
    found = wording.numbered(run.cards, "loss-plateau")
    assert found is not None
    assert found.number == 2
    assert wording.numbered(run.cards, "nothing") is None
    assert wording.roots(run) == ["vanishing-gradient"]


def test_lines_of_a_patch() -> None:
    assert wording.rows("-a\n+b\u2028c\n") == ["-a", "+b\u2028c"]
    kinds = [wording.diff_kind(line) for line in ("+++ b", "@@ -1", "+new", "-old", " same", "")]
    assert kinds == ["hunk", "hunk", "added", "removed", "", ""]


def test_before_and_after() -> None:
    picture = wording.duel(VERIFIED)
    assert picture is not None
    assert picture.before == "0.0,14.0 160.0,14.0 320.0,14.0"
    assert picture.after.endswith("320.0,104.0")
    assert (picture.low, picture.high) == ("0.2", "1.1")
    assert wording.duel(Verified("loss", 1, 1, 5)) is None
    flat = Verified("loss", 1, 1, 5, {"before": [1, math.nan, 1], "after": [1, 1]})
    assert wording.duel(flat) is not None


def test_safety_in_words() -> None:
    assert wording.safety("safe").startswith("safe")
    assert wording.safety("strange") == "strange"
