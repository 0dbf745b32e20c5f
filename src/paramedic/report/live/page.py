"""The pages and the messages that keep them up to date."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from paramedic.diagnose.rules import rules
from paramedic.report import html
from paramedic.report.live.following import Following
from paramedic.report.live.standing import DAMAGED, EMPTY
from paramedic.report.view import Headline, Judgement, RunView, run_view
from paramedic.report.wording import visible_all
from paramedic.version import __version__

_KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HERE = Path(__file__).parent
_LIST = ("page.js", "hear.js", "runs.js")
_RUN = (*html.SCRIPTS, "hear.js", "morph.js", "run.js")


@cache
def _assets() -> dict[str, tuple[bytes, str]]:
    """All that may be sent, read once: a request can name one of these and nothing else."""
    files = [*html.STATIC.iterdir(), *(_HERE / "static").iterdir()]
    return {
        file.name: (file.read_bytes(), _KINDS[file.suffix])
        for file in files
        if file.suffix in _KINDS
    }


def asset(name: str) -> tuple[bytes, str] | None:
    """A script, a style or a picture and its type, by name."""
    return _assets().get(name)


@cache
def _templates() -> jinja2.Environment:
    """Those of the report, with its filters and escaping; only the folder is another."""
    return html.environment().overlay(loader=jinja2.FileSystemLoader(_HERE / "templates"))


def _page(template: str, scripts: tuple[str, ...], **words: str) -> str:
    styles = (*html.STYLES, "live.css")
    return (
        _templates()
        .get_template(template)
        .render(styles=styles, scripts=scripts, version=__version__, **words)
    )


def warm_up() -> None:
    """What takes long the first time: the first visitor is not to wait for it."""
    html.environment().get_template("run.html")
    rules()
    run_page("", "")
    list_page()
    _assets()


def list_page() -> str:
    """The page with all runs; its lines come as events."""
    return _page("runs.html", _LIST, title="Runs · Paramedic")


def run_page(identifier: str, name: str) -> str:
    """The page of one run; what it shows comes as events."""
    return _page("run.html", _RUN, title=name, id=identifier, name=name)


def run_message(following: Following, width: int) -> dict[str, Any]:
    """All that the page of a run shows, for so many pixels; blocks."""
    words = {
        "name": following.place.name,
        "state": following.state,
        "words": following.words,
        "health": following.standing.tone,
        "verdict": following.standing.verdict or "not judged yet",
        "trend": following.standing.trend,
    }
    message: dict[str, Any] = visible_all(words)
    shown = _view(following, width)
    if shown is not None:
        message["view"] = visible_all(shown.to_json())
        message["html"] = html.fragment(shown)
    return message


def _view(following: Following, width: int) -> RunView | None:
    """None while there is nothing to show."""
    course = following.course
    if course is None or (course.last_step < 0 and following.state in (EMPTY, DAMAGED)):
        return None
    spent = following.standing.told.get("spent")
    shown = run_view(
        following.place.name,
        course,
        following.judgement or Judgement(),
        spent=spent if isinstance(spent, dict) else None,
        width=width,
    )
    return replace(shown, headline=_headline(following, shown.headline))


def _headline(following: Following, found: Headline) -> Headline:
    """The verdict on a run that has not ended is not the last word."""
    if following.judgement is None:
        words = "Not judged yet: the monitor of this run has noted nothing so far."
        return replace(found, word="Not judged yet", sentence=words)
    if not following.standing.ended:
        word = f"{found.word} so far"
        rest = found.sentence.removeprefix(found.word)
        return replace(found, word=word, sentence=f"{word}{rest}")
    return found
