"""The goals, and whether the runs meet them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median, quantiles
from typing import Any

from .counting import (
    Row,
    chosen,
    findings,
    is_close,
    is_found,
    is_one_event,
    is_resolved,
    is_silent,
    of_part,
)
from .plan import EVERY, EXPLODING, VANISHING

MET, MISSED, UNSURE = "met", "missed", "within the noise"
UNKNOWN = "not measured"
SO_FAR = " so far"  # while planned runs are missing
OVERHEAD = 1.01  # of the plain loop
RESOLVED = 0.9  # of the dual injections; the paper: 0.87
SAVED = 0.9  # of the treated runs
RESCUES = 30  # treated runs, at least


@dataclass(frozen=True, slots=True)
class Verdict:
    """One goal: what was asked, what was seen."""

    goal: str
    limit: str
    seen: str
    verdict: str


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Every goal with its verdict; a preliminary one while runs are missing."""
    found = _verdicts(results)
    if len(results["rows"]) >= results["planned"]:
        return found
    return [
        one if one.verdict == UNKNOWN else replace(one, verdict=one.verdict + SO_FAR)
        for one in found
    ]


def _verdicts(results: dict[str, Any]) -> list[Verdict]:
    rows = results["rows"]
    injected, alarms = of_part(rows, "injection"), of_part(rows, "alarm")
    duals, rescues = of_part(rows, "dual"), of_part(rows, "rescue")
    found = [_least("losses and weights the same, bit for bit, with `treat=\"off\"`", 1.0,
                    of_part(rows, "identity"), lambda row: row["same"])]  # fmt: skip
    found += [_overhead(name, one) for name, one in results.get("overhead", {}).items()]
    for fault, word in ((EXPLODING, "explosions"), (VANISHING, "vanishings")):
        several = chosen(injected, EVERY, fault=fault)
        found.append(_least(f"{word} found within 3 steps", 1.0, several, is_found))
    found += _false_alarms(alarms, injected)
    found.append(_least("dual injections reported as one event", 1.0, duals, is_one_event))
    goal = "dual injections resolved by the first intervention"
    found.append(_least(goal, RESOLVED, duals, is_resolved))
    goal = 'injected runs within 2 % of the uninjected one, `treat="auto"`'
    found.append(_least(goal, SAVED, rescues, is_close, fewest=RESCUES))
    return found


def _false_alarms(alarms: Sequence[Row], injected: Sequence[Row]) -> list[Verdict]:
    """Of what a user is told, and of what is found: treatment acts on that."""
    before = "before the injection"
    return [
        _least("uninjected runs without a warning", 1.0, alarms, is_silent),
        _least("uninjected runs in which nothing is found", 1.0, alarms,
               lambda row: not findings(row)),
        _least(f"injected runs without a warning {before}", 1.0, injected,
               lambda row: not row["before"]),
        _least(f"injected runs in which nothing is found {before}", 1.0, injected,
               lambda row: not row["found_before"]),
    ]  # fmt: skip


def _least(
    goal: str, limit: float, rows: Sequence[Row], test: Callable[[Row], bool], fewest: int = 1
) -> Verdict:
    count = sum(bool(test(row)) for row in rows)
    seen = f"{count} of {len(rows)}" if rows else "–"
    verdict = MET if rows and count >= limit * len(rows) else MISSED
    if len(rows) < fewest:
        verdict = UNKNOWN
    return Verdict(goal, "all" if limit == 1 else f"≥ {limit:.0%}", seen, verdict)


def _overhead(name: str, ratios: Sequence[float]) -> Verdict:
    low, _, high = quantiles(ratios, n=4) if len(ratios) > 1 else (ratios[0],) * 3
    verdict = MET if median(ratios) <= OVERHEAD else UNSURE if low <= OVERHEAD else MISSED
    seen = f"{median(ratios):.3f} ({low:.3f}–{high:.3f})"
    return Verdict(f"step time at the defaults, {name}", f"≤ {OVERHEAD}", seen, verdict)
