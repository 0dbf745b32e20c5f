"""The pages and the messages that keep them up to date."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import jinja2

from paramedic.report.live.following import Following
from paramedic.report.live.standing import DAMAGED, EMPTY
from paramedic.report.view import Judgement, RunView, run_view

_KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FOLDERS = ("paramedic.report.live",)
_STYLES = ("live.css",)


@cache
def _assets() -> dict[str, tuple[bytes, str]]:
    """All that may be sent, read once: a request can name one of these and nothing else."""
    found = {}
    for package in _FOLDERS:
        for one in (resources.files(package) / "static").iterdir():
            kind = _KINDS.get(f".{one.name.rpartition('.')[2]}")
            if kind is not None:
                found[one.name] = (one.read_bytes(), kind)
    return found


def asset(name: str) -> tuple[bytes, str] | None:
    """A script or a style and its type, by name."""
    return _assets().get(name)


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("paramedic.report.live", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def list_page() -> str:
    """The page with all runs; its lines come as events."""
    return _templates().get_template("runs.html").render(styles=_STYLES)


def run_page(identifier: str, name: str) -> str:
    """The page of one run; what it shows comes as events."""
    return _templates().get_template("run.html").render(styles=_STYLES, id=identifier, name=name)


def run_message(following: Following, width: int) -> dict[str, Any]:
    """All that the page of a run shows, for so many pixels; blocks."""
    message: dict[str, Any] = {
        "name": following.place.name,
        "state": following.state,
        "words": following.words,
        "health": following.standing.health or "unknown",
        "trend": following.standing.trend,
    }
    shown = _view(following, width)
    if shown is not None:
        message["view"] = shown.to_json()
        message["html"] = _templates().get_template("run_words.html").render(run=shown)
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
        following.judgement or Judgement(judged=False),
        spent=spent if isinstance(spent, dict) else None,
        width=width,
    )
    if following.judgement is None:
        words = "Not judged yet: the monitor of this run has noted nothing so far."
        headline = replace(shown.headline, word="Not judged yet", sentence=words)
        shown = replace(shown, headline=headline)
    return shown
