"""What the raw measurements say: medians, quartiles and slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

WORKLOAD_NAMES = ("W1", "W1b", "W2", "W3")
Part = dict[str, Any]


class Spread(NamedTuple):
    """The median of some repeats with their quartiles."""

    middle: float
    lower: float
    upper: float


def spread(values: Sequence[float]) -> Spread:
    """Median and quartiles."""
    lower, middle, upper = np.percentile(values, (25, 50, 75))
    return Spread(float(middle), float(lower), float(upper))


def ratio(part: Part | None, variant: str, measure: str = "mean") -> Spread | None:
    """Step time of a variant over the plain loop, or None if it was not measured."""
    blocks = (part or {}).get("variants", {}).get(variant)
    return spread([block["ratio"][measure] for block in blocks]) if blocks else None


def plain_step(part: Part) -> float:
    """Seconds per step of the plain loop."""
    blocks = [block for blocks in part["variants"].values() for block in blocks]
    return float(np.median([block["plain_seconds"]["median"] for block in blocks]))


def added(part: Part | None, variant: str) -> list[tuple[dict[str, Any], float]]:
    """The points of a sweep with the seconds that one look of this variant adds to a step."""
    points = (part or {}).get("points", [])
    return [
        (point, float(np.median(point["added_seconds"][variant])))
        for point in points
        if point["added_seconds"].get(variant)
    ]


def power(part: Part | None, variant: str) -> float | None:
    """Slope of log cost against log size: 1 is linear."""
    seen = [(p[part["axis"]], cost) for p, cost in added(part, variant) if cost > 0] if part else []
    if len(seen) < 2:
        return None
    size, cost = np.log(np.array(seen, dtype=float)).T
    return float(np.polyfit(size, cost, 1)[0])


def unit_cost(part: Part | None, variant: str) -> float | None:
    """Seconds per parameter (or tensor): the median over the larger half of the sizes."""
    seen = added(part, variant)
    if part is None or len(seen) < 2:
        return None
    return float(np.median([cost / point[part["axis"]] for point, cost in seen[len(seen) // 2 :]]))


def drift(run: Part) -> float:
    """Ratio to the plain loop in the last three tenths of a run over that in the first three."""
    ratios = run["ratio"]
    return float(np.median(ratios[-3:]) / np.median(ratios[:3]))


def growth(resident: Sequence[int]) -> int:
    """Resident bytes gained from the second tenth of a run to its end."""
    return int(resident[-1] - resident[1])


def long_runs(part: Part | None) -> dict[str, Part]:
    """The long runs that took place, by variant."""
    return {run["variant"]: run for run in (part or {}).get("runs", []) if "seconds" in run}


def peaks(part: Part | None) -> dict[str, dict[str, list[int]]]:
    """Peak bytes by workload title and variant."""
    table: dict[str, dict[str, list[int]]] = {}
    for run in (part or {}).get("runs", []):
        if "peak_bytes" in run:
            rows = table.setdefault(run["title"], {})
            rows.setdefault(run["variant"], []).append(run["peak_bytes"])
    return table
