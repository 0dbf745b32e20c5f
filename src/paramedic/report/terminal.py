"""What a trace holds, in words and tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from paramedic.report.cost import cost
from paramedic.trace import Trace
from paramedic.types import Event, Window

_BARS = "▁▂▃▄▅▆▇█"
_COLUMNS = {
    "gradient norm": "grad_norm",
    "weight norm": "weight_norm",
    "update / weight": "update_ratio",
    "largest output": "act_max_abs",
    "dead units": "act_dead",
    "saturated": "act_saturated",
}
_SHARES = ("act_dead", "act_saturated")


def measured(trace: Trace) -> RenderableType:
    """A summary of what was measured: the sentences first, then a row per layer."""
    window = trace.window()
    parts: list[RenderableType] = [Text(sentence) for sentence in _sentences(trace, window)]
    if len(window):
        parts.append(_layer_table(window))
    return Group(*parts)


def _sentences(trace: Trace, window: Window) -> Iterator[str]:
    loss = trace.pulse().loss
    seen = loss[np.isfinite(loss)]
    yield f"{len(loss)} optimizer steps, {len(trace)} of them looked at."
    if len(seen):
        yield f"Loss {seen[0]:.4g} at first, {seen[-1]:.4g} at last:  {sparkline(seen)}"
    norms = _newest(window, "grad_norm") if len(window) else np.empty(0)
    present = np.flatnonzero(np.isfinite(norms))
    if len(present) > 1:
        first, last = present[0], present[-1]
        yield (
            f"The gradient of `{window.names[first]}` is {norms[first] / norms[last]:.1e} times "
            f"that of `{window.names[last]}`."
        )
    yield from (event.message for event in _told(trace))
    spent = trace.meta("spent")
    if isinstance(spent, dict) and "share" in spent:
        words = cost(float(spent["share"]), _number(spent.get("seconds")))
        if words:
            yield f"Watching cost {words}, for {len(trace)} looks."


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _told(trace: Trace) -> list[Event]:
    return [event for event in trace.events if event.kind == "non-finite"]


def sparkline(values: NDArray[np.float64], width: int = 40) -> str:
    """A line of small bars; each is the mean of an even share of the values."""
    means = [part.mean() for part in np.array_split(values, min(width, len(values)))]
    low, high = min(means), max(means)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BARS[round((mean - low) * scale)] for mean in means)


def _layer_table(window: Window) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("layer")
    table.add_column("kind")
    columns = {title: _newest(window, name) for title, name in _COLUMNS.items()}
    shown = {title: column for title, column in columns.items() if np.isfinite(column).any()}
    for title in shown:
        table.add_column(title, justify="right")
    for place, layer in enumerate(window.chart.layers):
        cells = [_cell(_COLUMNS[title], column[place]) for title, column in shown.items()]
        if any(cells):
            table.add_row(escape(layer.name), escape(layer.kind), *cells)
    return table


def _newest(window: Window, name: str) -> NDArray[np.float32]:
    """The newest value of each layer that is a number."""
    rows = window.layer(name)
    newest = np.full(rows.shape[1], np.nan, np.float32)
    for row in rows:
        newest = np.where(np.isfinite(row), row, newest)
    return newest


def _cell(name: str, value: float) -> str:
    if not np.isfinite(value):
        return ""
    return f"{100 * value:.0f} %" if name in _SHARES else f"{value:.2e}"
