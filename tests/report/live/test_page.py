"""What pages are made of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paramedic.report.live.following import Following
from paramedic.report.live.page import asset, list_page, run_message, run_page
from paramedic.report.live.runs import Runs
from paramedic.trace import Writer
from tests.report.live.traces import HOSTILE, REASON, append, chart, hostile, recorded
from tests.report.made import FELL


def _named(page: str) -> list[str]:
    return re.findall(r'(?:src|href)="([^"#]+)"', page)


@pytest.mark.parametrize("page", [list_page(), run_page("ab12", "run.db")])
def test_pages_need_nothing_that_is_inline_or_elsewhere(page: str) -> None:
    assert "<style" not in page
    assert " style=" not in page
    assert re.findall(r"<script(?! src=)", page) == []
    assert re.findall(r"\son\w+=", page) == []
    for name in _named(page):
        if name != "/":
            assert asset(name.removeprefix("/static/")) is not None, name


@pytest.mark.parametrize("name", ["", "..", "../page.py", "page.py", "run.html", "uplot.LICENSE"])
def test_only_assets_are_sent(name: str) -> None:
    assert asset(name) is None


def test_scripts_hold_no_markup_from_traces() -> None:
    """The one place that sets markup takes what templates of ours have escaped."""
    scripts = [asset(name) for name in ("hear.js", "morph.js", "run.js", "runs.js")]
    text = b"".join(found[0] for found in scripts if found is not None).decode()
    assert text.count("innerHTML") == 1
    assert "eval(" not in text
    assert "insertAdjacentHTML" not in text


def test_names_are_escaped() -> None:
    page = run_page("ab12", HOSTILE)
    assert "<img src=x" not in page
    assert "\x07" not in page


def _followed(path: Path) -> Following:
    following = Following(Runs([path]).scan()[0])
    following.refresh()
    return following


def test_a_message_of_a_hostile_trace_is_text(tmp_path: Path) -> None:
    message = run_message(_followed(hostile(tmp_path / "run.db")), 240)
    assert "<img src=x" not in message["html"]
    assert "&lt;img src=x" in message["html"]
    assert "\x07" not in message["html"]
    assert "\x1b" not in str(message["view"])


def test_a_run_that_was_not_judged_yet_has_no_verdict(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    append(writer, 0, 10)
    message = run_message(_followed(tmp_path / "run.db"), 240)
    assert 'class="word">Not judged yet</span>' in message["html"]
    assert (message["health"], message["verdict"]) == ("unknown", "not judged yet")


def test_the_verdict_on_a_run_that_goes_on_is_one_so_far(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    append(writer, 0, 10)
    told = {"root": None, "others": [], "consequences": [], "set_aside": [], "not_checked": {}}
    given = {"diagnosis": told, "assessment": FELL.to_json()}
    writer.meta("standing", {"verdict": "learning", "ended": False, **given})
    message = run_message(_followed(tmp_path / "run.db"), 240)
    assert (message["health"], message["verdict"]) == ("healthy", "learning")
    assert 'class="word">Learning so far</span>: the loss fell from 2 to 1.' in message["html"]
    writer.meta("standing", {"verdict": "learning", "ended": True})
    for key, value in given.items():
        writer.meta(key, value)
    message = run_message(_followed(tmp_path / "run.db"), 240)
    assert 'class="word">Learning</span>: the loss fell from 2 to 1.' in message["html"]


def test_a_run_that_does_not_learn_comes_with_its_likely_cause(tmp_path: Path) -> None:
    message = run_message(_followed(recorded(tmp_path / "run.db", ended=False)), 240)
    assert (message["health"], message["verdict"]) == ("critical", "not learning")
    assert f'class="word">Not learning so far</span>: {REASON}.' in message["html"]
    assert "Most likely cause (not proven): vanishing gradient" in message["html"]


def test_nothing_to_show_is_no_view(tmp_path: Path) -> None:
    (tmp_path / "run.db").touch()
    message = run_message(_followed(tmp_path / "run.db"), 240)
    assert "view" not in message
    assert message["words"] == "Nothing is recorded yet."
