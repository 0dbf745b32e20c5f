"""What was found in a program that was run under watch, in words for a terminal."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from paramedic.report.verdict import clean, evidence
from paramedic.run.outcome import Outcome, Record
from paramedic.run.places import Place
from paramedic.types import Finding, Remedy, Severity

_STYLES = {"critical": "bold red", "warning": "bold yellow", "info": "bold"}
_ADVICE = 3  # remedies of a finding
_LINES = 4  # of the user's source
_BRIEF = 4  # reasons of what was not checked
_LAYERS = 6


def told(outcome: Outcome, stopped: str = "", *, verbose: bool = False) -> RenderableType:
    """The summary at the end: verdict, root cause, where, what to do, what it has cost."""
    parts: list[RenderableType] = [_headline(outcome)]
    if stopped:
        parts.append(_indented(f"The program was ended {stopped}.", 2))
    for record in outcome.records:
        parts += _record(record, several=len(outcome.records) > 1, verbose=verbose)
    return Group(Text("─" * 60, "dim"), *parts)


def _headline(outcome: Outcome) -> Text:
    line = Text("paramedic: ", "bold").append(clean(outcome.program)).append(": ")
    if outcome.verdict == "unjudged":
        return line.append("could not be judged", "bold").append(f": {outcome.why_unjudged}.")
    root = outcome.root
    steps = sum(record.steps for record in outcome.records)
    if outcome.verdict == "healthy":
        return line.append("healthy", "bold green").append(f" after {steps} steps.")
    assert root is not None
    return line.append("sick", "bold red").append(f": {root.slug}.")


def _record(record: Record, *, several: bool, verbose: bool) -> Iterator[RenderableType]:
    if several:
        health = "healthy" if not record.gravity else "sick"
        yield _indented(f"Training of {record.name}, {record.steps} steps: {health}", 2, "bold")
    diagnosis = record.diagnosis
    for finding in (diagnosis.root, *diagnosis.others):
        if finding is not None:
            yield from _finding(record, finding, _role(record, finding))
    for finding in diagnosis.consequences:
        cause = record.cause_of(finding)
        words = f"Explained by {cause}: {finding.slug} ({finding.code}): {finding.message}"
        yield _indented(words, 2)
    yield from _not_checked({**diagnosis.not_checked, **record.not_measured}, verbose=verbose)
    yield _indented(_spent(record), 2, "dim")


def _role(record: Record, finding: Finding) -> str:
    if finding.severity is Severity.INFO:
        return "Note"
    return "Root cause" if finding is record.diagnosis.root else "Beside it"


def _finding(record: Record, finding: Finding, role: str) -> Iterator[RenderableType]:
    title = Text("  ").append(f"{role}: ", "bold")
    title.append(f"{finding.slug} ({finding.code})", _STYLES[finding.severity.value])
    since = f"{finding.severity.value}, {100 * finding.confidence:.0f} % sure, step {finding.step}"
    yield title.append(f", {since}")
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
    return f"Watching took {seconds:.1f} s, {100 * share:.1f} % of the time of the training.{where}"


def _indented(words: str, columns: int, style: str = "") -> Padding:
    text = clean(words)
    text.stylize(style)
    return Padding(text, (0, 0, 0, columns), expand=False)
