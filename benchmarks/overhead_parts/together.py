"""The finest comparison: one process, one model, the variant attached for a few steps at a time.

Two processes with the same model lay it out in memory differently, which alone makes steps of
large tensors differ by several percent. Here the plain loop and the variant run on the very same
tensors. Only for variants that look at every step: one that keeps to a budget must stay attached.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .variants import Variant
from .workloads import Workload

WARM = 2  # untimed steps after attaching, and before plain turns
PLANS = {"W1": (3, 4), "W1b": (1, 1), "W2": (40, 10), "W3": (2, 4)}  # steps a turn, pairs a repeat


def together(workload: Workload, variants: list[Variant], repeats: int) -> dict[str, Any]:
    """Ratios of the step time of each variant to the plain loop, a number per repeat."""
    rig = workload.build()
    plain = Variant()
    plain.attach(rig)
    for variant in variants:
        variant.prepare()
    found: dict[str, list[dict[str, Any]]] = {variant.name: [] for variant in variants}
    steps, pairs = PLANS[workload.name]
    for repeat in range(repeats):
        for variant in variants:
            found[variant.name].append(_repeat(variant, plain, steps, pairs))
        print(f"  {workload.name} in one process: repeat {repeat + 1} of {repeats}", flush=True)
    return {"variants": found, "plan": {"repeats": repeats}, "steps": steps, "pairs": pairs}


def _repeat(variant: Variant, plain: Variant, steps: int, pairs: int) -> dict[str, Any]:
    seen, beside = [], []
    for pair in range(pairs):
        if pair % 2:
            beside.append(_turn(plain, steps))
        variant.attach(plain.rig)
        seen.append(_turn(variant, steps))
        variant.detach()
        if not pair % 2:
            beside.append(_turn(plain, steps))
    mean = float(np.sum(seen) / np.sum(beside))
    return {"ratio": {"mean": mean, "median": float(np.median(seen) / np.median(beside))}}


def _turn(variant: Variant, steps: int) -> list[float]:
    for _ in range(WARM):
        variant.step()
    marks = [time.perf_counter()]
    for _ in range(steps):
        variant.step()
        marks.append(time.perf_counter())
    return np.diff(marks).tolist()
