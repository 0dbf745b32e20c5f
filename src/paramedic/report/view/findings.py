"""Findings as cards: what, why, since when, where, the proof and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paramedic.diagnose.document import explained_by
from paramedic.diagnose.manual import Page, page_of
from paramedic.diagnose.rules import RuleError, find
from paramedic.report.view.evidence import Fact, facts
from paramedic.report.view.judgement import Judgement, SourceLine
from paramedic.run.outcome import Verified
from paramedic.types import Finding, Remedy

FAULT, SYMPTOM, SUSPICION, CONSEQUENCE, NOTE, SET_ASIDE = (
    "fault", "symptom", "likely cause, not proven", "consequence", "note", "set aside"
)  # fmt: skip
SHOWN = (FAULT, SYMPTOM, SUSPICION)  # what a reader has to know
_MOST_REMEDIES = 4


@dataclass(frozen=True, slots=True)
class Advice:
    """A remedy, and what it did if it was tried."""

    remedy: Remedy
    verified: Verified | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """One finding as it is shown.

    `began` is when the sickness set in as far as that is known, `told` when it was certain, `gone`
    when it was over, if it was. `cause` is the slug of the finding that explains this one.
    """

    code: str
    slug: str
    title: str
    role: str
    severity: str
    confidence: float
    what: str
    why: str
    began: int
    told: int
    seen: int | None
    gone: int | None
    where: tuple[str, ...]
    facts: tuple[Fact, ...]
    source: tuple[SourceLine, ...]
    advice: tuple[Advice, ...]
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """One arrow of the causal chain, between slugs."""

    cause: str
    effect: str


def cards(judgement: Judgement) -> tuple[Card, ...]:
    """Every finding: facts and likely causes first, those that were set aside last."""
    return tuple(_card(finding, role, judgement) for finding, role in _roles(judgement))


def links(judgement: Judgement) -> tuple[Link, ...]:
    """The causal chain of a run that fails: each consequence hangs on what explains it."""
    found = judgement.conclusion.consequences
    pairs = ((_cause(finding, judgement), finding.slug) for finding in found)
    return tuple(Link(cause, effect) for cause, effect in pairs if cause is not None)


def _roles(judgement: Judgement) -> Iterator[tuple[Finding, str]]:
    conclusion = judgement.conclusion
    groups = (
        (conclusion.faults, FAULT),
        (conclusion.suspicions, SUSPICION),
        (conclusion.symptoms, SYMPTOM),
        (conclusion.consequences, CONSEQUENCE),
        ([note.finding for note in conclusion.notes], NOTE),
        (judgement.diagnosis.set_aside, SET_ASIDE),
    )
    for findings, role in groups:
        yield from ((finding, role) for finding in findings)


def _card(finding: Finding, role: str, judgement: Judgement) -> Card:
    case, page = judgement.case_of(finding), _page(finding)
    told = finding.step if case is None else case.opened
    first = finding.evidence.get("first_step")
    return Card(
        code=finding.code,
        slug=finding.slug,
        title=title(finding.slug) if page is None else page.title,
        role=role,
        severity=judgement.conclusion.severity(finding).value,
        confidence=finding.confidence,
        what=finding.message,
        why="" if page is None else page.sections["Why is this bad?"],
        began=min(first, told) if isinstance(first, int) else told,
        told=told,
        seen=None if case is None else case.seen,
        gone=None if case is None else case.closed,
        where=finding.where,
        facts=facts(finding.evidence),
        source=judgement.sources.get(finding.slug, ()),
        advice=_advice(finding, judgement),
        cause=_cause(finding, judgement) if role == CONSEQUENCE else None,
    )


def _advice(finding: Finding, judgement: Judgement) -> tuple[Advice, ...]:
    """The best remedies, those that were tried before the others."""
    found = [
        Advice(remedy, judgement.verified.get(remedy.slug))
        for remedy in judgement.remedies
        if finding.slug in remedy.against
    ]
    found.sort(key=lambda one: one.verified is None and not one.remedy.diff)
    return tuple(found[:_MOST_REMEDIES])


def _cause(finding: Finding, judgement: Judgement) -> str | None:
    return explained_by(finding, judgement.diagnosis)


def _page(finding: Finding) -> Page | None:
    """The manual page; a stranger's trace may name a detector that is not installed."""
    try:
        return page_of(find(finding.code))
    except (RuleError, ValueError):
        return None


def title(slug: str) -> str:
    """A slug as words, where no manual page says it better."""
    words = slug.replace("-", " ")
    return words[:1].upper() + words[1:]
