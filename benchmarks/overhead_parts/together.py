"""The finest comparison: one process, one model, every other step watched.

Two processes with the same model lay it out in memory differently, which alone makes steps of
large tensors differ by several percent, and the speed of a shared machine changes by a tenth
from one tenth of a second to the next. Here plain and watched steps take turns on the very same
tensors, and each watched step is compared with the plain ones right before and after it. The
first steps, which are always seen in full, are left out here and told elsewhere.

Steps without a look, with a look at the vitals and with a full look are averaged apart, without
the most extreme tenth on either side, and weighed by how often they came: a stall of the machine
that hits one step must not count as ours, and a full look must not count as a stall.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .absence import Absence, real_clock
from .variants import Variant
from .workloads import Workload

WARM = {
    "W1": 12,
    "W1b": 8,
    "W2": 400,
    "W3": 8,
    "D1": 100,
    "D2": 12,
}  # untimed watched steps after attaching
PAIRS = {"W1": 50, "W1b": 20, "W2": 800, "W3": 24, "D1": 150, "D2": 50}  # in a repeat
CUT = 0.1  # of a kind of steps on either side
FEW = 10  # steps of a kind are averaged whole


def together(
    workload: Workload, variants: list[Variant], absence: Absence, repeats: int
) -> dict[str, Any]:
    """Ratios of the step time of each variant to the plain loop, a number per repeat."""
    found = {}
    for variant in variants:
        variant.prepare()
        variant.attach(workload.build())
        for _ in range(WARM[workload.name]):
            variant.step()
        found[variant.name] = [
            _repeat(variant, absence, PAIRS[workload.name]) for _ in range(repeats)
        ]
        variant.detach()
        print(f"  {workload.name} in one process: {variant.name}", flush=True)
    return {"variants": found, "plan": {"repeats": repeats, "pairs": PAIRS[workload.name]}}


def _repeat(variant: Variant, absence: Absence, pairs: int) -> dict[str, Any]:
    """An odd number of steps, so that the next repeat watches the other half of the batches."""
    plain, watched = np.empty(pairs + 1), np.empty(pairs)
    kinds = np.empty(pairs, dtype=int)
    plain[0] = _plain_step(variant, absence)
    for index in range(pairs):
        before = variant.looks()
        with absence.of(variant.rig.optimizer):
            pass  # what leaving does to the caches must not be the plain steps' alone
        watched[index] = _timed(variant.step)
        kinds[index] = _kind(before, variant.looks())
        plain[index + 1] = _plain_step(variant, absence)
    return compared(plain, watched, kinds)


def _plain_step(variant: Variant, absence: Absence) -> float:
    with absence.of(variant.rig.optimizer):
        return _timed(lambda: Variant.step(variant))


def _timed(step: Any) -> float:
    begin = real_clock()
    step()
    return real_clock() - begin


def _kind(before: tuple[int, ...], after: tuple[int, ...]) -> int:
    """Which of the counts of looks grew: 0 for none."""
    grown = [
        place + 1 for place, (old, new) in enumerate(zip(before, after, strict=True)) if new > old
    ]
    return max(grown, default=0)


def compared(
    plain: NDArray[np.float64], watched: NDArray[np.float64], kinds: NDArray[np.int64]
) -> dict[str, Any]:
    """The ratio of watched steps to the plain ones beside them, kind by kind."""
    beside = (plain[:-1] + plain[1:]) / 2
    more = watched / beside - 1
    parts = {kind: more[kinds == kind] for kind in np.unique(kinds)}
    extra = sum(_mean(part) * len(part) for part in parts.values()) / len(more)
    ratio = {"mean": float(1 + extra), "median": float(np.median(watched) / np.median(plain))}
    steps = {str(kind): len(part) for kind, part in parts.items()}
    return {"ratio": ratio, "steps": steps, "plain_seconds": float(np.median(plain))}


def _mean(values: NDArray[np.float64]) -> float:
    if len(values) < FEW:
        return float(values.mean())
    cut = int(CUT * len(values))
    return float(np.sort(values)[cut : len(values) - cut].mean())
