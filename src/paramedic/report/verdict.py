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
from paramedic.diagnose.replay import Verdict
from paramedic.report.view.evidence import brief, listed, thresholds
from paramedic.types import Finding, Remedy

_STYLES = {"critical": "bold red", "warning": "bold yellow", "healthy": "bold green"}
_ADVICE = 3  # remedies of a problem
_BRIEF = 4  # detectors that did not check, by name; more are counted


def could_judge(verdict: Verdict, detectors: int) -> bool:
    """Whether silence means health: something was looked at, and somebody was able to."""
    able = len(verdict.diagnosis.not_checked) < detectors
    return bool(verdict.findings) or (verdict.frames > 0 and able)


def told(verdict: Verdict, detectors: int, *, verbose: bool = False) -> RenderableType:
    """The verdict on one run: its health in a sentence, then the findings with their proof."""
    diagnosis = verdict.diagnosis
    parts: list[RenderableType] = [_headline(verdict, detectors)]
    stories = {id(case.finding): case for case in verdict.cases}  # findings are not hashable
    if diagnosis.root is not None:
        parts += _finding(diagnosis.root, stories.get(id(diagnosis.root)), "Root cause")
        parts += _advice(diagnosis.root, verdict.remedies)
    parts += _consequences(diagnosis)
    for other in diagnosis.others:
        parts += _finding(other, stories.get(id(other)), "Beside it")
        parts += _advice(other, verdict.remedies)
    parts += _set_aside(diagnosis)
    parts += _not_checked(diagnosis.not_checked, verbose=verbose)
    return Group(*parts)


def summary(verdicts: Sequence[Verdict], detectors: int) -> Table:
    """A row per run."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("run", "health", "root cause"):
        table.add_column(title, overflow="fold")
    for title in ("told at step", "findings"):
        table.add_column(title, justify="right")
    for verdict in verdicts:
        root = verdict.diagnosis.root
        health = verdict.diagnosis.health if could_judge(verdict, detectors) else "not judged"
        table.add_row(
            clean(verdict.run),
            Text(health, _STYLES.get(health, "")),
            clean(root.slug) if root else "",
            str(root.step) if root else "",
            str(len(verdict.findings)),
        )
    return table


def clean(text: str) -> Text:
    """Text as it is: neither markup nor what a stranger's trace may hide to move the cursor."""
    return Text(
        "".join(one if one.isprintable() or one == "\n" else repr(one)[1:-1] for one in text)
    )


# -- the sentence --------------------------------------------------------------------------------


def _headline(verdict: Verdict, detectors: int) -> Text:
    health = verdict.diagnosis.health
    line = Text.assemble(clean(verdict.run), ": ")
    if not could_judge(verdict, detectors):
        return line.append("could not be judged", "bold").append(clean(f": {_why_not(verdict)}."))
    root = verdict.diagnosis.root
    if health == "healthy":
        line.append("healthy", _STYLES[health])
        seen = f"in {verdict.last_step + 1} steps, {verdict.frames} of them looked at"
        found = "nothing to worry about" if root else "nothing was found"
        return line.append(f": {found} {seen}.")
    assert root is not None
    line.append("sick" if health == "critical" else "not well", _STYLES[health])
    return line.append(f": {root.slug}, told at step {root.step}.")


def _why_not(verdict: Verdict) -> str:
    if verdict.frames == 0:
        return "no step of it was looked at"
    reasons = set(verdict.diagnosis.not_checked.values())
    if len(reasons) == 1:
        return reasons.pop()
    return f"no detector had what it needs in {verdict.frames} frames"


# -- findings ------------------------------------------------------------------------------------


def _finding(finding: Finding, case: Case | None, role: str) -> Iterator[RenderableType]:
    """What, where, since when, and the numbers."""
    sure = f"{100 * finding.confidence:.0f} % sure"
    title = Text(f"{role}: ", "bold").append(
        f"{finding.code} {finding.slug}", _STYLES.get(finding.severity.value, "bold")
    )
    yield _indented(title.append(f" ({finding.severity.value}, {sure})"), 2)
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
        return f"Told at step {finding.step}."
    end = f"gone at step {case.closed}" if case.closed is not None else f"still so at {case.seen}"
    return f"Told at step {case.opened}, {end}."


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
