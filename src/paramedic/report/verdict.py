"""What the rules say of a recorded run, in words for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis, brings_about
from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.condition import tone
from paramedic.diagnose.replay import Replay
from paramedic.report.view.evidence import brief, listed, thresholds
from paramedic.types import Finding, Remedy

STYLES = {
    "critical": "bold red", "warning": "bold yellow", "healthy": "bold green", "unjudged": "bold"
}  # fmt: skip
_COLOURS = {"Fault": "bold red", "Symptom": "bold red", "Suspicion": "bold yellow"}
_ADVICE = 3  # remedies of a problem
_BRIEF = 4  # detectors that did not check, by name; more are counted


def told(replay: Replay, *, verbose: bool = False) -> RenderableType:
    """The verdict on one run in a sentence, then the findings with their evidence."""
    conclusion = replay.conclusion
    parts: list[RenderableType] = [_headline(replay)]
    stories = {id(case.finding): case for case in replay.cases}  # findings are not hashable
    groups = (("Fault", conclusion.faults), ("Symptom", conclusion.symptoms))
    for role, findings in groups:
        for finding in findings:
            parts += _finding(finding, stories.get(id(finding)), role)
            parts += _advice(finding, replay.remedies)
    if conclusion.suspicions:
        parts.append(_indented(Text("Most likely causes (not proven):", "bold"), 2))
    for finding in conclusion.suspicions:
        parts += _finding(finding, stories.get(id(finding)), "Suspicion")
        parts += _advice(finding, replay.remedies)
    if verbose:
        parts += _consequences(replay.diagnosis)
    parts += _notes(conclusion, verbose=verbose)
    parts += _set_aside(replay.diagnosis)
    parts += _not_checked(replay.diagnosis.not_checked, verbose=verbose)
    return Group(*parts)


def summary(replays: Sequence[Replay]) -> Table:
    """A row per run."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("run", "verdict", "most likely cause"):
        table.add_column(title, overflow="fold")
    for title in ("first seen at step", "findings"):
        table.add_column(title, justify="right")
    for replay in replays:
        conclusion = replay.conclusion
        leading = conclusion.leading
        table.add_row(
            clean(replay.run),
            Text(str(conclusion.verdict), style_of(conclusion)),
            clean(leading.slug) if leading else "",
            str(leading.step) if leading else "",
            str(len(replay.findings)),
        )
    return table


def style_of(conclusion: Conclusion) -> str:
    """The colour of a verdict."""
    return STYLES[tone(conclusion.verdict, fault=bool(conclusion.faults))]


def clean(text: str) -> Text:
    """Text as it is: neither markup nor what a stranger's trace may hide to move the cursor."""
    return Text(
        "".join(one if one.isprintable() or one == "\n" else repr(one)[1:-1] for one in text)
    )


# -- the sentence --------------------------------------------------------------------------------


def _headline(replay: Replay) -> Text:
    conclusion = replay.conclusion
    line = Text.assemble(clean(replay.run), ": ")
    line.append(str(conclusion.verdict), style_of(conclusion))
    return line.append(clean(f": {conclusion.assessment.reason}."))


# -- findings ------------------------------------------------------------------------------------


def _finding(finding: Finding, case: Case | None, role: str) -> Iterator[RenderableType]:
    """What, where, since when, and the numbers."""
    sure = f"{100 * finding.confidence:.0f} % sure"
    title = Text(f"{role}: ", "bold").append(f"{finding.code} {finding.slug}", _COLOURS[role])
    yield _indented(title.append(f" ({sure})" if role == "Suspicion" else ""), 2)
    yield _indented(clean(finding.message), 4)
    yield _indented(Text(_story(finding, case)), 4)
    if finding.where:
        yield _indented(clean(f"Where: {listed(finding.where)}."), 4)
    if finding.evidence:
        yield _indented(clean(f"Evidence: {', '.join(evidence(finding.evidence))}."), 4)


def _advice(finding: Finding, remedies: Sequence[Remedy]) -> Iterator[RenderableType]:
    """What to do: the few best remedies, each with its line of code and how sure we are."""
    found = [remedy for remedy in remedies if finding.slug in remedy.against][:_ADVICE]
    if found:
        yield _indented(Text("What to do:", "bold"), 4)
    for remedy in found:
        sure = f"{100 * remedy.confidence:.0f} %: {remedy.ground}"
        yield _indented(clean(f"- {remedy.title} ({sure})"), 6)
        if remedy.code:
            yield _indented(clean(remedy.code), 10)


def _story(finding: Finding, case: Case | None) -> str:
    if case is None:
        return f"First seen at step {finding.step}."
    end = f"gone at step {case.closed}" if case.closed is not None else f"still so at {case.seen}"
    return f"First seen at step {case.opened}, {end}."


def evidence(values: Mapping[str, Any]) -> Iterator[str]:
    """Each number against its threshold."""
    limits = thresholds(values)
    for name, value in values.items():
        words = name.replace("_", " ")
        if name in limits:
            yield f"{words} {brief(value)} (threshold {brief(values[limits[name]])})"
        elif name not in limits.values():
            yield f"{words} {brief(value)}"


# -- what stands beside --------------------------------------------------------------------------


def _consequences(diagnosis: Diagnosis) -> Iterator[RenderableType]:
    """Grouped by what explains them."""
    groups: dict[str, list[Finding]] = {}
    for finding in diagnosis.consequences:
        groups.setdefault(_cause(finding, diagnosis), []).append(finding)
    for cause, findings in groups.items():
        yield _indented(Text(f"Explained by {cause}:", "bold"), 2)
        for finding in findings:
            title = f"{finding.code} {finding.slug}, step {finding.step}: {finding.message}"
            yield _indented(clean(title), 4)


def _cause(finding: Finding, diagnosis: Diagnosis) -> str:
    for other in diagnosis.findings:
        if other is not finding and brings_about(other, finding):
            return "it" if other is diagnosis.root else other.slug
    return "it"


def _notes(conclusion: Conclusion, *, verbose: bool) -> Iterator[RenderableType]:
    shown = conclusion.notes if verbose else conclusion.remarks
    for note in shown:
        text = f"Note, {note.interval}: {note.finding.code} {note.finding.slug}: "
        yield _indented(clean(text + note.finding.message), 2)
    if count := len(conclusion.notes) - len(shown):
        yield _indented(Text(f"{count} note{'s' * (count > 1)} (--verbose)."), 2)


def _set_aside(diagnosis: Diagnosis) -> Iterator[RenderableType]:
    if diagnosis.set_aside:
        names = listed([f"{one.code} {one.slug}" for one in diagnosis.set_aside])
        text = f"Set aside, because something more certain contradicts: {names}."
        yield _indented(Text(text), 2)


def _not_checked(reasons: Mapping[str, str], *, verbose: bool) -> Iterator[RenderableType]:
    if not reasons:
        return
    if verbose:
        yield _indented(Text("Not checked:", "bold"), 2)
        for why in dict.fromkeys(reasons.values()):
            slugs = ", ".join(slug for slug, reason in reasons.items() if reason == why)
            yield _indented(clean(f"{slugs}: {why}"), 4)
        return
    shown = ", ".join(list(reasons)[:_BRIEF])
    rest = len(reasons) - _BRIEF
    more = f" and {rest} more" if rest > 0 else ""
    yield _indented(clean(f"Not checked: {shown}{more} (--verbose says why)."), 2)


def _indented(content: RenderableType, columns: int) -> Padding:
    return Padding(content, (0, 0, 0, columns), expand=False)
