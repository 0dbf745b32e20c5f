"""The tables of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .goals import Verdict
from .numbers import (
    WORKLOAD_NAMES,
    added,
    drift,
    growth,
    long_runs,
    peaks,
    plain_step,
    power,
    ratio,
    spread,
    unit_cost,
)

MIB = 2**20
Parts = dict[str, Any]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def goals_table(found: Sequence[Verdict]) -> str:
    """Each goal with what was seen."""
    rows = [(v.goal, v.where, v.limit, v.seen, f"**{v.verdict}**") for v in found]
    return table(("goal", "where", "limit", "measured (quartiles)", "verdict"), rows)


def workloads_table(parts: Parts) -> str:
    """What was trained, and how long a plain step took."""
    rows = []
    for name in _measured(parts):
        part = parts[name]
        size = (f"{part['parameters']:,}", f"{part['tensors']}")
        rows.append((name, part["title"], *size, _ms(plain_step(part)), _repeats(part)))
    return table(("", "workload", "parameters", "tensors", "plain step, ms", "repeats"), rows)


def one_process_table(part: Parts) -> str:
    """Ratios measured on one model in one process."""
    runs = part["workloads"]
    names = [name for name in ("W1", "W1b", "W2", "W3") if name in runs]
    variants = next(iter(runs.values()))["variants"]
    rows = [
        (f"`{variant}`", *(_ratio_cell(runs[name], variant, "mean") for name in names))
        for variant in variants
    ]
    return table(("", *names), rows)


def ratios_table(parts: Parts, measure: str) -> str:
    """Every variant on every workload."""
    names = _measured(parts)
    titles: dict[str, str] = {}
    for name in names:
        titles |= parts[name]["titles"]
    rows = [
        (title, *(_ratio_cell(parts[name], variant, measure) for name in names))
        for variant, title in titles.items()
    ]
    return table(("", *names), rows)


def _ratio_cell(part: Parts, variant: str, measure: str) -> str:
    seen = ratio(part, variant, measure)
    if seen is None:
        return part["missing"].get(variant, "–").split(":")[0]
    digits = 2 if seen.middle < 10 else 1
    return f"{seen.middle:.{digits}f} ({seen.lower:.{digits}f}–{seen.upper:.{digits}f})"


def startup_table(parts: Parts) -> str:
    """What the first steps and the end of a watched run cost."""
    rows = []
    for name in _measured(parts):
        blocks = parts[name]["variants"].get("watch", [])
        if not blocks:
            continue
        keys = ("attach_seconds", "startup_seconds", "close_seconds")
        cells = [_spread_ms([block[key] for block in blocks]) for key in keys]
        rows.append((name, str(parts[name]["plan"]["budgeted"]["first_steps"]), *cells))
    head = ("", "first steps", "`watch()`, ms", "`watch()` and first steps, ms", "`close()`, ms")
    return table(head, rows)


def spent_table(parts: Parts) -> str:
    """What the monitor says it spent during the timed steps, next to what the clock says."""
    rows = []
    for name in _measured(parts):
        for variant, blocks in parts[name]["variants"].items():
            if blocks and "seconds" in blocks[0]["spent_after"]:
                clock = ratio(parts[name], variant).middle - 1
                rows.append((name, variant, *_account(blocks), f"{100 * clock:.1f} %"))
    head = ("", "variant", "steps", "full looks", "vitals looks", "its account", "the clock")
    return table(head, rows) if rows else ""


def _account(blocks: Sequence[Parts]) -> tuple[str, ...]:
    """Steps, looks and share of the time by the monitor's own account, all repeats together."""
    steps, full, vitals = (
        sum(_gain(block, key) for block in blocks)
        for key in ("steps", "looks.full", "looks.vitals")
    )
    plain = sum(_gain(block, "steps") * block["plain_seconds"]["mean"] for block in blocks)
    spent = sum(_gain(block, "seconds") for block in blocks)
    share = f"{100 * spent / plain:.1f} %" if plain else "–"
    return f"{steps:,}", f"{full:,}", f"{vitals:,}", share


def _gain(block: Parts, key: str) -> float:
    return block["spent_after"].get(key, 0) - block["spent_before"].get(key, 0)


def sweep_table(part: Parts) -> str:
    """Cost of a look, point by point, then the slopes."""
    variants = list(part["points"][0]["added_seconds"])
    unit = 1e9 if part["axis"] == "parameters" else 1e6
    rows = []
    for index, point in enumerate(part["points"]):
        size = f"{point[part['axis']]:,}"
        cells = [_sweep_cell(added(part, v)[index][1], point[part["axis"]], unit) for v in variants]
        rows.append((size, _ms(float(np.median(point["plain_seconds"]))), *cells))
    slopes = [(unit_cost(part, variant), power(part, variant)) for variant in variants]
    rows.append(("larger half, median", "", *(_slope_cell(s, unit) for s, _ in slopes)))
    rows.append(("log-log slope", "", *("–" if p is None else f"{p:.2f}" for _, p in slopes)))
    each = "ns per parameter" if part["axis"] == "parameters" else "µs per tensor"
    return table((part["axis"], "plain step, ms", *(f"`{v}`, ms ({each})" for v in variants)), rows)


def _sweep_cell(cost: float, size: int, unit: float) -> str:
    return f"{_ms(cost)} ({unit * cost / size:.2f})"


def _slope_cell(slope: float | None, unit: float) -> str:
    return "–" if slope is None else f"({unit * slope:.2f})"


def flatness_table(part: Parts) -> str:
    """The long runs in one line each."""
    rows = []
    for variant, run in long_runs(part).items():
        steps = run["chunk_steps"] * len(run["seconds"])
        plain, seen = np.median(run["plain_seconds"]), np.median(run["seconds"])
        times = (f"{1e6 * plain:.0f}", f"{1e6 * seen:.0f}", f"{np.median(run['ratio']):.2f}")
        grown = [f"{growth(run[key]) / MIB:+.1f}" for key in ("plain_resident", "resident")]
        trace = f"{run['spent'].get('trace_bytes', 0) / MIB:.1f}"
        rows.append((variant, f"{steps:,}", *times, f"{drift(run):.3f}", *grown, trace))
    head = ("", "steps", "plain, µs", "watched, µs", "ratio", "drift of the ratio")
    more = ("memory gained, plain, MiB", "memory gained, watched, MiB", "trace, MiB")
    return table((*head, *more), rows)


def memory_table(part: Parts) -> str:
    """Peak memory with and without watching."""
    rows = []
    for title, variants in peaks(part).items():
        plain = float(np.median(variants["plain"])) if "plain" in variants else float("nan")
        for variant, values in variants.items():
            peak = float(np.median(values))
            more = "" if variant == "plain" else f"{(peak - plain) / MIB:+.1f}"
            rows.append((title, variant, f"{peak / MIB:.1f}", more))
    return table(("model", "variant", "peak, MiB", "added, MiB"), rows)


def _measured(parts: Parts) -> list[str]:
    return [name for name in WORKLOAD_NAMES if parts.get(name, {}).get("variants")]


def _repeats(part: Parts) -> str:
    return str(part["plan"]["repeats"])


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g}" if abs(seconds) < 0.9995 else f"{1e3 * seconds:,.0f}"


def _spread_ms(values: Sequence[float]) -> str:
    seen = spread(values)
    return f"{_ms(seen.middle)} ({_ms(seen.lower)}–{_ms(seen.upper)})"
