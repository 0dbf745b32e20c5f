"""What is left on the screen when a run is over: the verdict, its proof, what to do, the cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from paramedic.diagnose.status import Status
from paramedic.report.cost import brief
from paramedic.report.glyphs import Glyphs
from paramedic.report.panel import duration, fitted, gradient_line, loss_line, styled
from paramedic.report.verdict import STYLES, clean, evidence
from paramedic.types import Finding, Kind, Remedy

_MARGIN = 3  # lines that are left to the shell
_ADVICE = 2


def closing(
    status: Status, curve: Sequence[float], remedies: Sequence[Remedy], trace: Path | None,
    size: tuple[int, int], glyphs: Glyphs,
) -> list[Text]:  # fmt: skip
    """Lines that fit on a screen of `size` columns and lines: what matters comes first, and of
    what does not fit the end is left out. Long sentences are wrapped."""
    width, height = size
    drawn = {
        "loss": loss_line(status, curve, width, glyphs),
        "gradient": gradient_line(status.flow, width, glyphs),
    }
    picture = [fitted(label, line, width, glyphs) for label, line in drawn.items() if line]
    lines = [_headline(status), *_story(status.findings, remedies)]
    foot = [_cost(status)] + ([clean(f"Recorded in {trace}")] if trace is not None else [])
    told = [part for line in lines for part in _wrapped(line, width, glyphs)]
    last = [*picture, *(part for line in foot for part in _wrapped(line, width, glyphs))]
    room = max(height - _MARGIN - 1 - len(last), 3)
    if len(told) > room:
        told = [*told[: room - 1], Text("  " + glyphs.ellipsis)]
    return [styled(glyphs.rule * min(width, 60), "dim"), *told, *last]


def _wrapped(line: Text, width: int, glyphs: Glyphs) -> Iterator[Text]:
    from rich.console import Console

    line.plain = glyphs.text(line.plain)
    indent = len(line.plain) - len(line.plain.lstrip())
    console = Console(width=width)
    for place, part in enumerate(line.wrap(console, max(width - indent, 20))):
        yield Text(" " * indent).append_text(part) if place else part


def _headline(status: Status) -> Text:
    found = status.condition
    line = styled("paramedic: ", "bold").append(str(found.verdict), STYLES[found.tone])
    steps = f" after {status.step + 1:,} steps in {duration(status.seconds)}"
    return line.append(steps).append(clean(f" · {status.condition.trend}"))


def _story(findings: Sequence[Finding], remedies: Sequence[Remedy]) -> Iterator[Text]:
    for place, finding in enumerate(findings):
        role = {Kind.FAULT: "Fault", Kind.SYMPTOM: "Symptom"}.get(finding.kind, "Likely cause")
        title = styled(f"  {role}: ", "bold").append(f"{finding.slug} ({finding.code})", "bold red")
        # A fact is not more or less likely.
        sure = f", {100 * finding.confidence:.0f} % sure" if finding.kind is Kind.SUSPICION else ""
        yield title.append(f"{sure}, step {finding.step}")
        if place:
            continue
        yield Text("    ").append(clean(finding.message.replace("\n", " ")))
        if finding.evidence:
            yield Text("    ").append(clean(f"Evidence: {', '.join(evidence(finding.evidence))}."))
        yield from _advice(finding, remedies)


def _advice(finding: Finding, remedies: Sequence[Remedy]) -> Iterator[Text]:
    for remedy in [one for one in remedies if finding.slug in one.against][:_ADVICE]:
        yield (
            styled("    Try: ", "bold")
            .append(clean(remedy.title))
            .append(f" ({100 * remedy.confidence:.0f} %)")
        )
        for line in remedy.code.splitlines()[:3]:
            yield Text("         ").append(clean(line).plain, "cyan")


def _cost(status: Status) -> Text:
    spent = brief(status.overhead, status.seconds)
    return Text(f"Watching cost {spent}, {status.looks:,} looks.")
