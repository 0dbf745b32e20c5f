"""What was found in a program that was run under watch, in words for a terminal."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from paramedic.diagnose.condition import tone
from paramedic.report.cost import cost
from paramedic.report.verdict import STYLES, clean, evidence
from paramedic.run.outcome import Outcome, Record
from paramedic.run.places import Place
from paramedic.types import Finding, Remedy

_STYLES = {"critical": "bold red", "warning": "bold yellow", "info": "bold"}
_ADVICE = 3  # remedies of a finding
_CAUSES = 2  # suspicions that are shown unless all are asked for
_LINES = 4  # of the user's source
_BRIEF = 4  # reasons of what was not checked
_LAYERS = 6
_FULL = 3  # trainings of which more than a line is said


def told(outcome: Outcome, stopped: str = "", *, verbose: bool = False) -> RenderableType:
    """The summary at the end: verdict, faults or likely causes, where, what to do, the cost."""
    parts: list[RenderableType] = [_headline(outcome)]
    if stopped:
        parts.append(_indented(f"The program was ended {stopped}.", 2))
    several = len(outcome.records) > 1
    for place, record in enumerate(outcome.records):
        parts += _record(record, several=several, brief=place >= _FULL, verbose=verbose)
    parts += [_indented(sentence, 2) for sentence in outcome.rest]
    return Group(Text("─" * 60, "dim"), *parts)


def _headline(outcome: Outcome) -> Text:
    line = Text("paramedic: ", "bold").append(clean(outcome.program)).append(": ")
    fault = any(record.conclusion.faults for record in outcome.records)
    found = outcome.assessment
    line.append(str(found.verdict), STYLES[tone(found.verdict, fault=fault)])
    return line.append(clean(f": {found.reason}."))


def _record(
    record: Record, *, several: bool, brief: bool, verbose: bool
) -> Iterator[RenderableType]:
    conclusion = record.conclusion
    if several:
        words = f"Training of {record.name}, {record.steps} steps: {conclusion.assessment}"
        yield _indented(words, 2, "bold")
    if brief and not verbose:
        return
    for finding in conclusion.faults:
        yield from _finding(record, finding, "Fault")
    if not conclusion.suspicions:  # what happened says something only if nothing says why
        for finding in conclusion.symptoms:
            yield from _finding(record, finding, "Symptom")
    if conclusion.suspicions:
        yield _indented("Most likely causes (not proven):", 2, "bold")
    shown = conclusion.suspicions if verbose else conclusion.suspicions[:_CAUSES]
    for finding in shown:
        yield from _finding(record, finding, "Suspicion")
    yield from _rest(record, verbose=verbose)
    reasons = {**record.diagnosis.not_checked, **record.not_measured}
    yield from _not_checked(reasons, verbose=verbose)
    yield _indented(_spent(record), 2, "dim")


def _rest(record: Record, *, verbose: bool) -> Iterator[RenderableType]:
    """Weaker suspicions, consequences and notes: counted, and listed on request."""
    conclusion = record.conclusion
    notes = conclusion.notes if verbose else conclusion.remarks
    for finding in conclusion.consequences if verbose else ():
        words = f"Explained by {record.cause_of(finding)}: {_named(finding)}: {finding.message}"
        yield _indented(words, 2)
    for note in notes:
        words = f"Note, {note.interval}: {_named(note.finding)}: {note.finding.message}"
        yield _indented(words, 2)
    if verbose:
        return
    hidden = len(conclusion.suspicions[_CAUSES:]) + len(conclusion.consequences)
    if hidden := hidden + len(conclusion.notes) - len(notes):
        yield _indented(f"{hidden} more finding{'s' * (hidden > 1)} (--verbose).", 2)


def _named(finding: Finding) -> str:
    return f"{finding.slug} ({finding.code})"


def _finding(record: Record, finding: Finding, role: str) -> Iterator[RenderableType]:
    title = Text("  ").append(f"{role}: ", "bold")
    title.append(_named(finding), _STYLES[record.conclusion.severity(finding).value])
    # A fact is not more or less likely.
    sure = f", {100 * finding.confidence:.0f} %" if role == "Suspicion" else ""
    yield title.append(f"{sure}, step {finding.step}")
    yield _indented(finding.message, 4)
    if finding.where:
        rest = len(finding.where) - _LAYERS
        more = f" and {rest} more" if rest > 0 else ""
        yield _indented(f"Layers: {', '.join(finding.where[:_LAYERS])}{more}.", 4)
    if finding.evidence:
        yield _indented(f"Evidence: {', '.join(evidence(finding.evidence))}.", 4)
    for place in record.source(finding)[:_LINES]:
        yield _indented(f"{place}: {_line(place)}", 4, "cyan")
    yield from _advice(record.remedies_for(finding)[:_ADVICE])


def _line(place: Place) -> str:
    return linecache.getline(place.file, place.line).strip()


def _advice(remedies: list[Remedy]) -> Iterator[RenderableType]:
    if remedies:
        yield _indented("What to do:", 4, "bold")
    for remedy in remedies:
        yield _indented(f"- {remedy.title} ({100 * remedy.confidence:.0f} %: {remedy.ground})", 6)
        if remedy.code:
            yield _indented(remedy.code, 10)


def _not_checked(reasons: Mapping[str, str], *, verbose: bool) -> Iterator[RenderableType]:
    if reasons and verbose:
        yield _indented("Not checked:", 2, "bold")
        for slug, why in reasons.items():
            yield _indented(f"{slug}: {why}", 4)
    elif reasons:
        rest = len(reasons) - _BRIEF
        more = f" and {rest} more" if rest > 0 else ""
        names = ", ".join(list(reasons)[:_BRIEF])
        yield _indented(f"Not checked: {names}{more} (--verbose says why).", 2)


def _spent(record: Record) -> str:
    share, seconds = float(record.spent.get("share", 0.0)), float(record.spent.get("seconds", 0.0))
    where = "" if record.trace is None else f" Trace: {record.trace}"
    return f"Watching took {cost(share, seconds)}.{where}"


def _indented(words: str, columns: int, style: str = "") -> Padding:
    text = clean(words)
    text.stylize(style)
    return Padding(text, (0, 0, 0, columns), expand=False)
