"""The report as one HTML file that needs nothing else: no network, no build step.

Words are put in by templates that escape everything; scripts draw the curves and maps from the
JSON inside the page. The page forbids itself, by its Content-Security-Policy, to run any other
script or to load anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from paramedic.report import wording
from paramedic.report.view.page import PageView
from paramedic.report.view.plain import plain
from paramedic.report.view.run import RunView
from paramedic.version import __version__

HERE = Path(__file__).parent
STATIC = HERE / "static"
STYLES = ("uplot.min.css", "report.css")
SCRIPTS = ("uplot.min.js", "charts.js", "heatmap.js", "page.js")
LICENCE = "uplot.LICENSE"


def render(page: PageView) -> str:
    """The whole page."""
    style, script = _style(), _script()
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        environment()
        .get_template("page.html")
        .render(
            page=page,
            policy=policy,
            style=Markup(style),
            script=Markup(script),
            data=script_json(page.to_json()),
            version=__version__,
        )
    )


def write(page: PageView, path: Path) -> int:
    """Write the page to a file; gives its size in bytes."""
    text = render(page).encode("utf-8", "backslashreplace")
    path.write_bytes(text)
    return len(text)


def fragment(run: RunView, index: int = 0, level: int = 1) -> str:
    """The part of the page that shows one run, for a page that is made elsewhere."""
    return environment().get_template("run.html").render(run=run, index=index, level=level)


def script_json(value: Any) -> Markup:
    """JSON that may stand in a `<script type="application/json">`: nothing in it ends the script,
    and no text in it hides what it is."""
    text = json.dumps(wording.visible_all(plain(value)), separators=(",", ":"), allow_nan=False)
    for one in "<>&":  # U+2028 and the like are escaped already: the text is ASCII
        text = text.replace(one, f"\\u{ord(one):04x}")
    return Markup(text)


@cache
def environment() -> Environment:
    """Templates with escaping on, and no way for a stranger's text to be anything but text."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        finalize=wording.visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= wording.FILTERS
    return made


@cache
def _style() -> str:
    return "\n".join(_static(name) for name in STYLES)


@cache
def _script() -> str:
    licence = f"/*! uPlot, https://github.com/leeoniya/uPlot\n\n{_static(LICENCE)}*/"
    return "\n".join([licence, *(_static(name) for name in SCRIPTS)])


def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """As a policy names a script or style that may be inline."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
