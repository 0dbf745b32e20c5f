"""The goals of the benchmark, and whether they are met."""

from __future__ import annotations

from statistics import mean, median

from .results import Results

Goal = tuple[str, str, str, bool | None]


def goals(results: Results) -> list[Goal]:
    """What, the limit, what was measured, and whether it is met; None if nothing was measured."""
    sick, healthy = results.sick(), results.healthy()
    found = [row for row in sick if row.detected]
    repaired = [row for row in sick if row.repaired]
    costs = [row.cost for row in sick]
    rate = len(repaired) / len(found) if found else None
    gain = mean(row.gain for row in repaired) if repaired else None
    worse = sum(row.status == "healed" and row.gain < -1 for row in results.stages["race"])
    touched = sum(row.status != "healthy" for row in healthy)
    rest = [row.cost for row in healthy]
    return [
        _least("repaired of detected, strictly", rate, 0.984, ".3f"),
        _least("mean gain of repaired cases, points", gain, 36.0, ".1f"),
        ("healed cases worse than untouched by more than a point", "0", str(worse), worse == 0),
        ("healthy cases changed", "0", f"{touched} of {len(healthy)}", touched == 0),
        _most("cost, mean over sick cases", mean(costs) if costs else None, 1.6),
        _most("cost, median over sick cases", median(costs) if costs else None, 1.4),
        _most("cost, mean over healthy cases", mean(rest) if rest else None, 1.02, ".3f"),
    ]


def _least(name: str, value: float | None, limit: float, form: str) -> Goal:
    if value is None:
        return name, f"≥ {limit:g}", "—", None
    return name, f"≥ {limit:g}", format(value, form), value >= limit


def _most(name: str, value: float | None, limit: float, form: str = ".2f") -> Goal:
    if value is None:
        return name, f"≤ {limit:g}", "—", None
    return name, f"≤ {limit:g}", format(value, form), value <= limit


def table(results: Results, *, whole: bool) -> str:
    """As Markdown; a verdict on a part of the cases says so."""
    so_far = "" if whole else " so far"
    words = {True: f"**met{so_far}**", False: f"**missed{so_far}**", None: "not measured"}
    lines = ["| goal | limit | measured | verdict |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {name} | {limit} | {value} | {words[met]} |"
        for name, limit, value, met in goals(results)
    ]
    return "\n".join(lines)
