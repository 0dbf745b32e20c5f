"""The verdict in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.report.view.findings import Card
from paramedic.report.view.judgement import Judgement

_WORDS = {
    "healthy": "Healthy",
    "warning": "Not well",
    "critical": "Sick",
    "unjudged": "Could not be judged",
}


@dataclass(frozen=True, slots=True)
class Headline:
    """The word, the sentence that begins with it, and what is behind it.

    `began` is the step at which the root cause set in, None if there is none.
    """

    health: str
    word: str
    sentence: str
    detail: str = ""
    root: str | None = None
    began: int | None = None


def headline(judgement: Judgement, cards: tuple[Card, ...], steps: int, looks: int) -> Headline:
    """How the run is, for somebody who reads one line only."""
    health, word = judgement.health, _WORDS[judgement.health]
    if health == "unjudged":
        return Headline(health, word, f"{word}: {judgement.why_not}.")
    if health == "healthy":
        found = "nothing to worry about" if cards else "nothing was found"
        return Headline(health, word, f"{word}: {found} in {_seen(steps, looks)}.")
    root = cards[0]
    others = sum(card.severity != "info" for card in cards[1:] if card.role != "set aside")
    beside = {0: "", 1: ", and one more finding"}.get(others, f", and {others} more findings")
    since = "from the first step" if root.began == 0 else f"since step {root.began:,}"
    sentence = f"{word}: {root.title[:1].lower()}{root.title[1:]} {since}{beside}."
    return Headline(health, word, sentence, root.what, root.slug, root.began)


def _seen(steps: int, looks: int) -> str:
    return f"{steps:,} step{'s' if steps != 1 else ''}, {looks:,} of them looked at"
