"""The finest comparison: one process, one model, the variant attached for a few steps at a time.

Two processes with the same model lay it out in memory differently, which alone makes steps of
large tensors differ by several percent. Here the plain loop and the variant run on the very same
tensors. What the first steps of a watched run cost more is left out here and told elsewhere; a
variant that keeps to a budget stays attached for long enough to look in full a few times.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .variants import Variant
from .workloads import Workload

WARM = 2  # untimed steps before plain turns
# Untimed steps after attaching: the first steps are always seen in full, and detectors examine
# the first frames one by one. Where a step takes long this is nothing against it.
WARM_WATCHED = {"W1": 6, "W1b": 6, "W2": 160, "W3": 6, "D1": 160, "D2": 60}
PLANS = {"W1": (6, 3), "W1b": (2, 1), "W2": (200, 3), "W3": (4, 3)}  # steps a turn, pairs a repeat
PLANS_BUDGETED = {
    "W1": (48, 1), "W1b": (16, 1), "W2": (600, 2), "W3": (32, 1), "D1": (300, 1), "D2": (60, 1),
}  # fmt: skip
Clock = Callable[[], float]
processor_time: Clock = time.process_time


def together(
    workload: Workload, variants: list[Variant], repeats: int, clock: Clock = time.perf_counter
) -> dict[str, Any]:
    """Ratios of the step time of each variant to the plain loop, a number per repeat."""
    rig = workload.build()
    plain = Variant()
    plain.attach(rig)
    for variant in variants:
        variant.prepare()
    found: dict[str, list[dict[str, Any]]] = {variant.name: [] for variant in variants}
    for repeat in range(repeats):
        for variant in variants:
            found[variant.name].append(_repeat(variant, plain, workload.name, clock))
        print(f"  {workload.name} in one process: repeat {repeat + 1} of {repeats}", flush=True)
    return {"variants": found, "plan": {"repeats": repeats}}


def _repeat(variant: Variant, plain: Variant, workload: str, clock: Clock) -> dict[str, Any]:
    steps, pairs = (PLANS_BUDGETED if variant.budgeted else PLANS)[workload]
    warm = WARM_WATCHED[workload]
    seen, beside = [], []
    for _ in range(pairs):
        # Half of the plain steps before and half after: the machine drifts within a turn.
        beside += _turn(plain, steps // 2, WARM, clock)
        variant.attach(plain.rig)
        seen += _turn(variant, steps, warm, clock)
        variant.detach()
        beside += _turn(plain, steps - steps // 2, WARM, clock)
    mean = float(np.mean(seen) / np.mean(beside))
    return {"ratio": {"mean": mean, "median": float(np.median(seen) / np.median(beside))}}


def _turn(variant: Variant, steps: int, warm: int, clock: Clock) -> list[float]:
    for _ in range(warm):
        variant.step()
    marks = [clock()]
    for _ in range(steps):
        variant.step()
        marks.append(clock())
    return np.diff(marks).tolist()
