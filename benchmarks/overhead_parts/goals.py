"""The goals, and whether the measurements meet them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .numbers import drift, long_runs, power, ratio, unit_cost

MET, MISSED, UNSURE = "met", "missed", "within the noise"
SHORT, UNKNOWN = "too short to judge", "not measured"
ALL = (MET, UNSURE, MISSED, SHORT, UNKNOWN)
RATIO_GOALS: tuple[tuple[str, str, dict[str, float]], ...] = (
    ("defaults", "watch", {"W1": 1.01, "W1b": 1.01, "W3": 1.01, "W2": 1.02}),
    (
        "every step, norms and finiteness",
        "watch-vitals",
        {"W1": 1.02, "W1b": 1.02, "W3": 1.02, "W2": 1.12},
    ),
    ("every step, all statistics", "watch-full", {"W1": 1.20, "W2": 1.80}),
)
SLOPE_LIMIT = 2.0  # times `clip_grad_norm_`
POWER_LIMIT = 1.1  # of the log-log fit, or that of `clip_grad_norm_` and a tenth
DRIFT_LIMIT = 1.05  # of the ratio to the plain loop, from the start of a run to its end
MEMORY_LIMIT = 50.0  # MiB at the peak
FEWEST = 5  # repeats to judge from


@dataclass(frozen=True, slots=True)
class Verdict:
    """One goal: what was asked, what was seen."""

    goal: str
    where: str
    limit: str
    seen: str
    verdict: str


def verdicts(parts: dict[str, Any]) -> list[Verdict]:
    """Every goal with its verdict."""
    return [
        *_ratios(parts),
        *_slopes(parts.get("parameters")),
        *_flat(parts.get("flatness")),
        *_memory(parts.get("memory")),
    ]


def _ratios(parts: dict[str, Any]) -> list[Verdict]:
    found = []
    for goal, variant, limits in RATIO_GOALS:
        for name, limit in limits.items():
            part = finest(parts, name, variant)
            seen = ratio(part, variant)
            if seen is None:
                found.append(Verdict(goal, name, f"≤ {limit:.2f}", "–", UNKNOWN))
                continue
            text = f"{seen.middle:.3f} ({seen.lower:.3f}–{seen.upper:.3f})"
            few = part["plan"]["repeats"] < FEWEST
            verdict = SHORT if few else _judge(seen.middle, seen.lower, limit)
            found.append(Verdict(goal, name, f"≤ {limit:.2f}", text, verdict))
    return found


def finest(parts: dict[str, Any], name: str, variant: str) -> dict[str, Any] | None:
    """Measured in one process where that is possible, else between processes."""
    here = parts.get("one-process", {}).get("workloads", {}).get(name)
    return here if ratio(here, variant) is not None else parts.get(name)


def _judge(middle: float, lower: float, limit: float) -> str:
    if middle <= limit:
        return MET
    return UNSURE if lower <= limit else MISSED


def _slopes(part: dict[str, Any] | None) -> list[Verdict]:
    found = []
    clip, clip_power = unit_cost(part, "clip"), power(part, "clip")
    for variant, what in (("watch-vitals", "norms"), ("watch-full", "all statistics")):
        slope, exponent = unit_cost(part, variant), power(part, variant)
        goal = f"cost of a look, {what}"
        if None in (clip, clip_power, slope, exponent):
            found.append(Verdict(goal, "sweep", "–", "–", UNKNOWN))
            continue
        bound, tail = max(POWER_LIMIT, clip_power + 0.1), ("sweep", part["quick"])
        found += [
            _upper(f"{goal}: linear (log-log slope)", bound, exponent, *tail),
            _upper(f"{goal}: time per parameter over clipping", SLOPE_LIMIT, slope / clip, *tail),
        ]
    return found


def _upper(goal: str, limit: float, seen: float, where: str, quick: bool) -> Verdict:
    verdict = MET if seen <= limit else MISSED
    return Verdict(goal, where, f"≤ {limit:.2f}", f"{seen:.2f}", SHORT if quick else verdict)


def _flat(part: dict[str, Any] | None) -> list[Verdict]:
    runs, found = long_runs(part), []
    for variant, what in (("watch", "defaults"), ("watch-full", "every step, all statistics")):
        goal = f"flat in the length of the run, {what}"
        if variant in runs:
            seen = drift(runs[variant])
            found.append(_upper(goal, DRIFT_LIMIT, seen, "long run", part["quick"]))
        else:
            found.append(Verdict(goal, "long run", "–", "–", UNKNOWN))
    return found


def _memory(part: dict[str, Any] | None) -> list[Verdict]:
    peaks: dict[tuple[str, str], list[float]] = {}
    for run in (part or {}).get("runs", []):
        if "peak_bytes" in run:
            peaks.setdefault((run["workload"], run["variant"]), []).append(run["peak_bytes"])
    found = []
    for (workload, variant), bytes_ in peaks.items():
        if variant != "plain" and (workload, "plain") in peaks:
            added = (min(bytes_) - min(peaks[workload, "plain"])) / 2**20
            goal = f"memory added at the peak, MiB, `{variant}`"
            found.append(_upper(goal, MEMORY_LIMIT, added, workload, part["quick"]))
    return found
