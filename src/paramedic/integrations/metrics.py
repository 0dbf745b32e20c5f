"""What sinks have in common: the names of the numbers, and a finding in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from paramedic.report import gathering, html
from paramedic.types import Chart, Epoch, Finding, Frame, Remedy

PREFIX = "paramedic"
LAYERS = ("grad_norm", "weight_norm", "update_ratio", "act_dead", "act_saturated")
_SCALARS = ("loss", "grad_norm", "overhead", "skipped", "scale")


def numbers(frame: Frame, chart: Chart, layers: Iterable[str] = LAYERS) -> dict[str, float]:
    """`paramedic/loss`, `paramedic/lr/0` …, `paramedic/layers/grad_norm/NAME`. What was not
    measured, and what is not finite, is left out."""
    found = {
        f"{PREFIX}/{name}": value
        for name, value in frame.scalars.items()
        if name in _SCALARS or name.startswith("lr/")
    }
    for statistic in layers:
        column = frame.layers.get(statistic, ())
        for layer, value in zip(chart.layers, column, strict=False):
            found[f"{PREFIX}/layers/{statistic}/{layer.name or layer.kind}"] = float(value)
    return {name: float(value) for name, value in found.items() if math.isfinite(value)}


def epoch_numbers(epoch: Epoch) -> dict[str, float]:
    """`paramedic/epoch/val_loss` …"""
    values = epoch.values.items()
    return {f"{PREFIX}/epoch/{name}": value for name, value in values if math.isfinite(value)}


def words(finding: Finding, remedies: Sequence[Remedy]) -> str:
    """A finding as Markdown: what, where, and what to do."""
    sure = f"{finding.severity.value}, {100 * finding.confidence:.0f} % sure, step {finding.step}"
    lines = [f"**{finding.slug}** ({finding.code}, {sure}): {finding.message}"]
    if finding.where:
        lines.append("Where: " + ", ".join(f"`{name}`" for name in finding.where[:8]))
    for remedy in remedies[:3]:
        code = f": `{remedy.code}`" if remedy.code and "\n" not in remedy.code else ""
        lines.append(f"- {remedy.title} ({100 * remedy.confidence:.0f} %){code}")
    return "\n\n".join(lines)


def page_of(trace: Path | None) -> Path | None:
    """The HTML report beside a trace, which is written if it is not there; None without one."""
    if trace is None:
        return None
    page = trace.with_suffix(".html")
    if not page.exists():
        html.write(gathering.page_of([trace]), page)
    return page
