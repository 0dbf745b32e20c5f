"""The verdict in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.report.view.findings import FAULT, SHOWN, SYMPTOM, Card
from paramedic.report.view.judgement import Judgement


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict, the sentence that begins with it, and what is behind it.

    `tone` is that of the colours; `root` the slug of the fault or of the likely cause, `began` the
    step at which it set in, None if there is none.
    """

    tone: str
    word: str
    sentence: str
    detail: str = ""
    root: str | None = None
    began: int | None = None


def headline(judgement: Judgement, cards: tuple[Card, ...], steps: int, looks: int) -> Headline:
    """How the run is, for a reader of one line only."""
    found = judgement.conclusion.assessment
    word = str(found.verdict).capitalize()
    sentence = f"{word}: {found.reason}."
    shown = [card for card in cards if card.role in SHOWN]
    if not shown:
        notes = [f"{note.finding.message} " for note in judgement.conclusion.remarks]
        return Headline(judgement.tone, word, sentence, f"{''.join(notes)}{_seen(steps, looks)}.")
    first = shown[0]
    kind = {FAULT: "Fault", SYMPTOM: "Symptom"}.get(first.role, "Most likely cause (not proven)")
    detail = f"{kind}: {first.title[:1].lower()}{first.title[1:]}. {first.what}"
    return Headline(judgement.tone, word, sentence, detail, first.slug, first.began)


def _seen(steps: int, looks: int) -> str:
    return f"{steps:,} step{'s' if steps != 1 else ''}, {looks:,} of them looked at"
