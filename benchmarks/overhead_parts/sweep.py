"""The cost of one look against the size of the model and the number of its tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .plans import Turns
from .protocol import alternate
from .registry import split
from .variants import Variant
from .worker import Worker
from .workloads import Workload, sized

NAMES = ["clip", "watch-vitals", "watch-full"]
PARAMETERS = (1_000_000, 4_000_000, 16_000_000, 50_000_000, 125_000_000)
TENSORS = (10, 30, 100, 300, 1000)
FIXED_TENSORS, FIXED_PARAMETERS = 10, 1_000_000


def sweep(axis: str, quick: bool, repeats: int | None) -> dict[str, Any]:
    """Measure along one axis: `parameters` or `tensors`."""
    variants, missing = split(NAMES)
    for variant in variants:
        variant.prepare()
    values = PARAMETERS if axis == "parameters" else TENSORS
    points = []
    for value in values[: 3 if quick else None]:
        size = {"parameters": FIXED_PARAMETERS, "tensors": FIXED_TENSORS, axis: value}
        count = repeats or (1 if quick else 5 if size["parameters"] < 16_000_000 else 3)
        points.append(_point(sized(**size), variants, count, 0.1 if quick else 0.25))
        print(f"  {axis} {value:,}", flush=True)
    return {"axis": axis, "points": points, "missing": missing}


def _point(
    workload: Workload, variants: Sequence[Variant], repeats: int, seconds: float
) -> dict[str, Any]:
    """Seconds that each variant adds to a step, once per repeat."""
    rig = workload.build()
    point = {"parameters": rig.parameters(), "tensors": rig.tensors()}
    del rig
    base: list[float] = []
    added: dict[str, list[float]] = {variant.name: [] for variant in variants}
    for repeat in range(repeats):
        shift = repeat % max(1, len(variants))
        plain = Worker.start(workload, Variant(), 4, core=repeat)
        turns = _turns(min(plain.opening.steps), seconds)
        for variant in (*variants[shift:], *variants[:shift]):
            other = Worker.start(workload, variant, 2, core=repeat)
            pairs = alternate(plain, other, turns, turns.steps)
            other.close()
            added[variant.name].append(float(np.median([v.median - p.median for v, p in pairs])))
            base.append(float(np.median([p.median for _, p in pairs])))
        plain.close()
    return {**point, "plain_seconds": base, "added_seconds": added}


def _turns(pace: float, seconds: float) -> Turns:
    """Turns of one step, or of a few where a step is short."""
    steps = int(np.clip(0.02 / pace, 1, 10))
    count = int(np.clip(seconds / (pace * steps), 6, 20))
    return Turns(2, count, steps, steps, skip=1 if steps > 1 else 0)
