"""The page as a text: complete, small, and with nothing in it but what we put there."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import conclude
from paramedic.diagnose.verdict import Assessment
from paramedic.report.html import SCRIPTS, STATIC, fragment, render, script_json, write
from paramedic.report.view.course import Course
from paramedic.report.view.heal import heal_view
from paramedic.report.view.judgement import Judgement, SourceLine
from paramedic.report.view.page import PageView
from paramedic.report.view.run import RunView, run_view
from paramedic.report.view.study import Best, StudyView, Trial
from paramedic.types import Epoch, Event, Finding, Pulse, Remedy, Severity, Verdict
from tests.report.made import (
    CODE,
    FAULT,
    FELL,
    REMEDY,
    ROOT,
    YOUNG,
    chart,
    course,
    judged,
    judgement,
    names,
    sick_run,
)  # fmt: skip
from tests.report.view.test_heal import OUTCOME, attempt

STUDY = StudyView(
    "study", "1 of 2 trials were stopped.", "val_acc", "maximize",
    (Trial(0, "complete", "", 0.9, 3.0), Trial(1, "stopped", "non-finite", float("nan"), 1.0)),
    {"non-finite": 1, "complete": 1}, 2.0, 4.0, (Best("this study", (3.0, 4.0), (0.9, 0.9)),),
)  # fmt: skip
HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"' onmouseover=alert(1) x='",
    "<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "]]><!--",
    "\u2028\u2029\x00\x1b[31m\u202e",
    "&lt;b&gt;",
    "x" * 10_000,
)


class _Page(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.text = ""
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in ("src", "href")}
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_data(self, data: str) -> None:
        self.text += data


def _everything() -> PageView:
    return PageView("all", (sick_run(), sick_run()), (heal_view(OUTCOME),), (STUDY,))


def test_the_verdict_and_its_proof_are_in_the_page() -> None:
    text = _Page(render(PageView("run.db", (sick_run(),)))).text
    for words in (
        "Not learning: the loss is no lower than at first after 100 steps",
        "Most likely cause (not proven): vanishing gradient. The gradient of body.0 is gone.",
        "Likely cause, not proven · info · G001 · 90 % sure · since step 10",
        "factors make a product", "2e-09", "against 0.001", "t.py:12", CODE, "+nn.ReLU()",
        "worked in 3 of 3 measured repairs", "val_loss 1.1 → 0.2 after 300 steps",
        "What was not checked (1)", "watching took 1.5 s, 1.2 %", "The gradient jumped in body.0.",
    ):  # fmt: skip
        assert words in text, words


def _shown(*runs: RunView) -> str:
    """The page without its styles and scripts."""
    text = render(PageView("x", runs))
    return re.sub(r"<(style|script).*?</\1>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("assessment", [FELL, YOUNG])
def test_a_run_that_does_not_fail_has_suspicions_as_notes_alone(assessment: Assessment) -> None:
    shown = _shown(run_view("x", course(), judgement(assessment)))
    text = _Page(shown).text
    assert not re.search(r'class="[^"]*is-(warning|critical)', shown)
    assert "Note · info · G001" in text, "it can be read, but it does not warn"
    for words in ("ikely cause", "First aid", "Fault", "What brought about what"):
        assert words not in text, words
    assert not re.search(r"<details[^>]* open", shown), "no finding is opened for the reader"


def test_a_fault_warns_in_a_run_that_learns() -> None:
    shown = _shown(run_view("x", course(), judged(Diagnosis(ROOT, (FAULT,)), FELL)))
    text = _Page(shown).text
    assert 'class="hero is-warning"' in shown
    assert shown.count('class="card is-warning"') == 1
    assert "Learning: the loss fell from 2 to 1." in text
    assert "Fault · warning · O003 · since step 20" in text, "a fact is not more or less likely"
    assert "Note · info · G001 · 90 % sure" in text


def test_side_by_side_with_their_verdicts() -> None:
    runs = (sick_run(), run_view("other", course(), judgement(FELL)))
    shown = _shown(*runs)
    rows = re.findall(r'<tr class="is-(\w+)">(.*?)</tr>', shown)
    assert [tone for tone, _ in rows] == ["critical", "healthy"]
    first, second = (_Page(row).text for _, row in rows)
    assert "Not learning" in first
    assert "Vanishing gradient" in first
    assert "Learning" in second
    assert "Vanishing gradient" not in second


def test_heals_studies_and_several_runs() -> None:
    text = _Page(render(_everything())).text
    for words in (
        "Healed: accuracy 0.5 → 0.9", "Did S2.", "led to the model that was kept",
        "1 of 2 trials were stopped.", "non-finite", "Side by side",
    ):  # fmt: skip
        assert words in text, words


def test_it_needs_nothing_else() -> None:
    page = _Page(render(_everything()))
    assert page.links - {"data:,"} == {link for link in page.links if link.startswith("#")}
    assert page.tags.count("script") == 2
    assert "style" not in page.attributes, "a policy may forbid style attributes"
    assert not any(name.startswith("on") for name in page.attributes)
    assert len(page.ids) == len(set(page.ids)), "an id is there once"


def test_the_policy_names_our_script_and_style_alone() -> None:
    text = render(PageView("x", (sick_run(),)))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    for tag in ("style", "script"):
        inner = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert inner is not None
        digest = base64.b64encode(hashlib.sha256(inner[1].encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy[1]
    assert "default-src &#39;none&#39;" in policy[1]


def test_the_licence_of_uplot_is_in_the_page() -> None:
    text = render(PageView("x"))
    assert "The MIT License (MIT)" in text
    assert "Copyright (c) 2022 Leon Sorokin" in text


def test_scripts_do_not_end_themselves() -> None:
    for name in SCRIPTS:
        assert "</script" not in (STATIC / name).read_text(encoding="utf-8").lower()


def test_headings_do_not_skip_a_level() -> None:
    for page in (
        PageView("x", (sick_run(),)),
        _everything(),
        PageView("x", (), (heal_view(OUTCOME),)),
    ):
        levels = [int(tag[1]) for tag in _Page(render(page)).tags if re.fullmatch(r"h[1-6]", tag)]
        assert levels.count(1) == 1
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))


def hostile_page(words: str) -> str:
    """A page on which every text that a stranger may have written is this one."""
    finding = Finding(
        "Z1", words, Severity.WARNING, 0.5, words, 3, (words,), {words: words, "threshold": words},
    )  # fmt: skip
    remedy = Remedy(words, words, 0.5, code=words, diff=words, ground=words, against=(words,))
    found = Diagnosis(finding, (), (), (), {words: words})
    told = Judgement(
        found,
        conclude(found, (), Assessment(Verdict.DIVERGED, words, {words: 1.0})),
        remedies=(remedy,),
        sources={words: (SourceLine(words, words),)},
    )
    base = course(20, 2, called=(words, "b"))
    numbers = (Epoch(0, 9, {f"{words}loss": 1.0, words: 2.0}),)
    shown = run_view(words, replace(base, events=(Event(1, words, words),), epochs=numbers), told)
    heal = heal_view(
        {**OUTCOME, "attempts": [attempt(0, words, None, words)], "chosen": 0, "diff": words}
    )
    study = replace(STUDY, name=words, trials=(Trial(0, words, words, 1.0, 1.0, words),),
                    causes={words: 1}, best=(Best(words, (1.0,), (1.0,)),))  # fmt: skip
    return render(PageView(words, (shown, shown), (heal,), (study,), {words: words}))


def test_hostile_text_is_shown_as_text() -> None:
    harmless = _Page(hostile_page("harmless"))
    for words in HOSTILE:
        text = hostile_page(words)
        page = _Page(text)
        assert page.tags == harmless.tags, words
        assert page.attributes == harmless.attributes, words
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\u202e]", text)


def test_hostile_text_can_be_read() -> None:
    assert "<img src=x onerror=alert(1)>" in _Page(hostile_page(HOSTILE[2])).text
    assert "\\x1b[31m\\u202e" in _Page(hostile_page(HOSTILE[5])).text


def test_json_inside_a_script() -> None:
    value = {"a": "</script><!--&\u2028\u2029\x00", "b": [float("nan"), 1.5]}
    text = str(script_json(value))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"a": "</script><!--&\\u2028\\u2029\\x00", "b": [None, 1.5]}


def test_a_long_run_with_many_layers_is_small(tmp_path: Path) -> None:
    """10,000 steps, all of them looked at, and 50 layers: less than 400 kB."""
    steps, layers, random = 10_000, 50, np.random.default_rng(0)
    values = {
        name: np.exp(3 * random.standard_normal((steps, layers))).astype(np.float32)
        for name in ("grad_norm", "update_ratio")
    }
    shares = {
        name: random.random((steps, layers)).astype(np.float32)
        for name in ("act_dead", "act_saturated")
    }
    run = Course(
        chart([f"transformer.blocks.{one}.attention.output" for one in names(layers)]),
        Pulse(
            np.arange(steps), random.random(steps), np.ones(steps, bool), random.random(steps) < 0.1
        ),
        np.arange(steps),
        {"grad_norm": random.random(steps), "lr/0": random.random(steps)},
        {**values, **shares},
        course().epochs * 50,
    )
    page = PageView("run.db", (run_view("run.db", run, judgement()),))
    size = write(page, tmp_path / "page.html")
    assert size == (tmp_path / "page.html").stat().st_size
    assert size < 400_000


def test_a_run_without_anything() -> None:
    empty = run_view("x", course(0, 1), Judgement())
    bare = replace(empty, panels=(), maps=(), events=())
    assert "Cannot tell: nothing was judged yet." in _Page(render(PageView("x", (bare,)))).text


def test_a_fragment_for_another_page() -> None:
    text = fragment(sick_run(), index=7, level=2)
    assert 'id="run-7"' in text
    assert "<script" not in text
    assert text.count("<h2") == 1


def test_lone_surrogates_do_not_stop_the_writing(tmp_path: Path) -> None:
    write(PageView("x", (sick_run(name="a\ud800b"),)), tmp_path / "page.html")
    assert "a\\ud800b" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_remedies_that_were_not_tried() -> None:
    told = replace(judgement(), verified={}, remedies=(replace(REMEDY, diff="", ground=""),))
    text = _Page(render(PageView("x", (run_view("x", course(), told),)))).text
    assert "Tried:" not in text
    assert "89 % sure · changes how the run trains" in text
