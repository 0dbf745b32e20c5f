"""How values are put into words on a page: the filters of the templates."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from paramedic.report.cost import cost as cost_words
from paramedic.report.view.findings import Card
from paramedic.report.view.run import Cost, RunView
from paramedic.run.outcome import Verified

_LONGEST_NAME = 160  # characters of a name; the middle of longer ones is left out
_SAFETY = {
    "safe": "safe: cannot make a sound run worse",
    "unsafe": "changes how the run trains",
    "advice": "needs a person",
}
_WIDTH, _TOP, _BOTTOM = 320.0, 14.0, 104.0  # of the picture of before and after
_NUMBERS = frozenset({float, int, type(None)})
_MINUTE, _HOUR = 60.0, 3600.0


# -- text of strangers -----------------------------------------------------------------------------


def visible(value: Any) -> Any:
    """Text in which nothing is hidden: control characters are shown as `\\x1b`. Markup is ours."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    if value.isprintable():
        return value
    return "".join(one if one.isprintable() or one in "\n\t" else repr(one)[1:-1] for one in value)


def visible_all(value: Any) -> Any:
    """The same for every text in a JSON value."""
    if isinstance(value, dict):
        return {visible(key): visible_all(one) for key, one in value.items()}
    if isinstance(value, list):
        if _NUMBERS.issuperset(map(type, value)):  # a curve: there are thousands of them
            return value
        return [visible_all(one) for one in value]
    return visible(value)


def short(name: str) -> str:
    """A name that fits on a page."""
    if len(name) <= _LONGEST_NAME:
        return name
    half = _LONGEST_NAME // 2
    return f"{name[:half]} … {name[-half:]}"


# -- prose -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a sentence; `code` was between backticks."""

    text: str
    code: bool


def ticked(text: str) -> list[Part]:
    """A sentence in parts, those between backticks as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a backtick without its partner is a backtick
        pieces[-2:] = [f"{pieces[-2]}`{pieces[-1]}"]
    return [Part(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece]


def paragraphs(text: str) -> list[str]:
    """Each paragraph in one line."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def split_word(sentence: str) -> tuple[str, str]:
    """The verdict and the rest of its sentence."""
    word, colon, rest = sentence.partition(":")
    return (word, colon + rest) if colon else (sentence, "")


def story(card: Card) -> str:
    """When a sickness began, was told and went."""
    parts = [f"since step {card.began:,}" if card.began else "from the first step"]
    if card.told != card.began:
        parts.append(f"told at step {card.told:,}")
    if card.gone is not None:
        parts.append(f"gone at step {card.gone:,}")
    return ", ".join(parts)


def spent(cost: Cost) -> str:
    """What watching cost."""
    looks = f"{cost.looks:,} of {cost.steps:,} steps were looked at"
    if cost.share is None:
        return f"{looks}; what that cost was not recorded."
    words = cost_words(cost.share, cost.seconds)
    return f"{looks}; watching took {words}." if words else f"{looks}."


# -- numbers ---------------------------------------------------------------------------------------


def figure(value: float | None) -> str:
    """A number in four digits, or a dash."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.4g}"


def duration(seconds: float) -> str:
    """Seconds, minutes or hours."""
    if not math.isfinite(seconds):
        return "an unknown time"
    if abs(seconds) < 2 * _MINUTE:
        return f"{seconds:.3g} s"
    if abs(seconds) < 2 * _HOUR:
        return f"{seconds / _MINUTE:.3g} min"
    return f"{seconds / _HOUR:.3g} h"


def last_loss(run: RunView) -> float:
    """The newest loss that is known."""
    curves = [panel.curves for panel in run.panels if panel.name == "loss"]
    values = curves[0][0].points.values if curves and curves[0] else ()
    known = [float(one) for one in values if math.isfinite(one)]
    return known[-1] if known else math.nan


# -- structure -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Numbered:
    """A card and the number it has on the page."""

    card: Card
    number: int


def numbered(cards: Sequence[Card], slug: str) -> Numbered | None:
    """The card of a slug."""
    found = (Numbered(card, place) for place, card in enumerate(cards, 1) if card.slug == slug)
    return next(found, None)


def roots(run: RunView) -> list[str]:
    """Where the causal chains begin."""
    effects = {link.effect for link in run.links}
    return [slug for slug in dict.fromkeys(link.cause for link in run.links) if slug not in effects]


def rows(text: str) -> list[str]:
    """The lines of a text, by line feeds alone: a stranger's odd separators are characters."""
    return text.removesuffix("\n").split("\n")


def diff_kind(line: str) -> str:
    """The class of a line of a unified diff."""
    if line.startswith(("+++", "---", "@@")):
        return "hunk"
    return {"+": "added", "-": "removed"}.get(line[:1], "")


@dataclass(frozen=True, slots=True)
class Duel:
    """Two curves as points of a picture, and the ends of its axis."""

    before: str
    after: str
    low: str
    high: str


def duel(verified: Verified) -> Duel | None:
    """The training loss before and after a remedy."""
    before, after = (verified.curves.get(name, ()) for name in ("before", "after"))
    known = [one for one in (*before, *after) if math.isfinite(one)]
    if len(before) < 2 or len(after) < 2 or not known:
        return None
    low, high = min(known), max(known)
    return Duel(
        " ".join(_points(before, low, high)),
        " ".join(_points(after, low, high)),
        figure(low),
        figure(high),
    )


def _points(values: Sequence[float], low: float, high: float) -> Iterator[str]:
    for place, value in enumerate(values):
        if math.isfinite(value):
            share = (value - low) / (high - low) if high > low else 0.5
            y = _BOTTOM - share * (_BOTTOM - _TOP)
            yield f"{_WIDTH * place / (len(values) - 1):.1f},{y:.1f}"


def safety(word: str) -> str:
    """What a user risks."""
    return _SAFETY.get(word, word)


FILTERS: dict[str, Callable[..., Any]] = {
    "diff_kind": diff_kind, "duel": duel, "duration": duration, "figure": figure,
    "last_loss": last_loss, "numbered": numbered, "paragraphs": paragraphs, "roots": roots,
    "rows": rows, "safety": safety, "short": short, "spent": spent, "split_word": split_word,
    "story": story, "ticked": ticked,
}  # fmt: skip
