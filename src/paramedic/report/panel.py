"""The picture of a run in a few lines of text, none of them wider than the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from paramedic.diagnose.status import Status
from paramedic.report.cost import brief
from paramedic.report.glyphs import Glyphs, grouped, sparkline
from paramedic.report.verdict import STYLES, clean
from paramedic.types import Finding, Severity

_GRAVE = {Severity.CRITICAL: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold"}
_HEAT = ("blue", "blue", "cyan", "green", "green", "yellow", "magenta", "red")
_DECADES = 3.0  # that a strip spans at least: what differs by less is even
_LABEL = 10  # columns
_NARROW = 60
_FOUND = 3  # findings; more are counted


def panel(
    status: Status, curve: Sequence[float], width: int, glyphs: Glyphs, heading: str = ""
) -> list[Text]:
    """A line each for progress, verdict, loss, gradient, what was found, and the cost."""
    rows = [
        ("paramedic", clean(heading) if heading else None),
        ("progress" if heading else "paramedic", _progress(status)),
        ("verdict", _verdict(status)),
        ("loss", loss_line(status, curve, width, glyphs)),
        ("gradient", gradient_line(status.flow, width, glyphs)),
        *(("found", line) for line in _found(status.findings)),
        ("watching", _cost(status)),
    ]
    return [fitted(label, line, width, glyphs) for label, line in rows if line is not None]


def plain(status: Status, glyphs: Glyphs) -> str:
    """The same in one line, for a file or a pipe."""
    parts = [_progress(status).plain]
    if math.isfinite(status.loss):
        parts.append(f"loss {status.loss:.4g}")
    parts.append(str(status.condition.verdict))
    if status.findings:
        parts.append(", ".join(finding.slug for finding in status.findings[:_FOUND]))
    parts.append(f"watching costs {brief(status.overhead, status.seconds)}")
    return clean(glyphs.text(" · ".join(parts))).plain.replace("\n", " ")


def fitted(label: str, line: Text, width: int, glyphs: Glyphs) -> Text:
    """A line with its label, cut where the terminal ends; a narrow one has no labels."""
    indent = _LABEL if width >= _NARROW else 0
    row = styled(f"{label:<{indent}}" if indent else "", "dim").append_text(_flat(line))
    row.plain = glyphs.text(row.plain)
    if row.cell_len > width:
        row.truncate(width - len(glyphs.ellipsis))
        row.append(glyphs.ellipsis)
    return row


def styled(words: str, style: str) -> Text:
    """Words in a style which what is appended to them does not take on."""
    return Text().append(words, style)


def _flat(line: Text) -> Text:
    line.plain = line.plain.replace("\n", " ")
    return line


# -- the lines -----------------------------------------------------------------------------------


def _progress(status: Status) -> Text:
    of = "" if status.steps is None else f" of {status.steps:,}"
    parts = [f"step {status.step + 1:,}{of}"]
    left = status.seconds_left
    if left is not None:
        parts.append(f"about {duration(left)} left")
    if status.epochs:
        newest = status.epochs[-1]
        numbers = ", ".join(f"{name} {value:.4g}" for name, value in newest.values.items())
        parts.append(f"epoch {newest.epoch} ({numbers})" if numbers else f"epoch {newest.epoch}")
    parts.append(f"{duration(status.seconds)} so far")
    return clean(" · ".join(parts))


def _verdict(status: Status) -> Text:
    condition = status.condition
    line = styled(str(condition.verdict), STYLES[condition.tone])
    return line.append(clean(f" · {condition.trend}")) if condition.trend else line


def loss_line(status: Status, curve: Sequence[float], width: int, glyphs: Glyphs) -> Text | None:
    """The newest loss, and the curve up to it."""
    if not curve:
        return None
    now = f"{status.loss:.4g}" if math.isfinite(status.loss) else "not finite"
    line = Text(f"loss {now} " if width < _NARROW else f"{now:<11}")
    room = width - _LABEL - line.cell_len - 2
    return line.append(sparkline(grouped(curve, max(room, 8)), glyphs), "cyan")


def gradient_line(flow: Mapping[str, float], width: int, glyphs: Glyphs) -> Text | None:
    """A heat strip: a bar per layer, or per group of layers, from the first to the last."""
    if not flow:
        return None
    finite = [value for value in flow.values() if math.isfinite(value) and value > 0]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    words = f" {low:.0e} … {high:.0e}, first to last layer" if finite else " nothing arrives"
    line = Text("grad " if width < _NARROW else "")
    room = max(width - _LABEL - len(words) - line.cell_len, 10)
    for level in levels(grouped([_log(value) for value in flow.values()], room)):
        if level is None:
            line.append(glyphs.broken, "bold red")
        else:
            place = min(int(level * len(_HEAT)), len(_HEAT) - 1)
            line.append(glyphs.bar(level), _HEAT[place])
    return line.append(words, "dim")


def levels(logs: Sequence[float]) -> list[float | None]:
    """Each logarithm as a share of the range of all, which is at least some decades; None for
    what is not finite, and 0 for nothing."""
    finite = [value for value in logs if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    span = max(high - low, _DECADES)
    base = (low + high - span) / 2
    return [
        0.0 if value == -math.inf else (value - base) / span if math.isfinite(value) else None
        for value in logs
    ]


def _log(value: float) -> float:
    return math.log10(value) if value > 0 else -math.inf


def _found(findings: Sequence[Finding]) -> Iterator[Text]:
    for finding in findings[:_FOUND]:
        line = styled(finding.slug, _GRAVE[finding.severity])
        yield line.append(f", step {finding.step}: ").append(clean(finding.message))
    if len(findings) > _FOUND:
        yield Text(f"and {len(findings) - _FOUND} more")


def _cost(status: Status) -> Text:
    line = styled(f"{brief(status.overhead, status.seconds)} · {status.looks:,} looks", "dim")
    done = sum(event.data.get("answer") == "applied" for event in status.interventions)
    return line.append(f" · {done} interventions", "bold") if done else line


def duration(seconds: float) -> str:
    """`45 s`, `3 min 20 s`, `2 h 05 min`, `3 d 4 h`."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"
