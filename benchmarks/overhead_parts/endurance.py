"""A very long run, and the memory that watching takes."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import numpy as np

from .plans import Turns
from .protocol import alternate
from .registry import VARIANTS
from .variants import Variant
from .worker import Worker
from .workloads import TINY, WORKLOADS, sized

CHUNKS = 10
FIRST_STEPS = 500
TURN_STEPS, PLAIN_STEPS = 250, 100
MEMORY_STEPS = 6


def flatness(variant_name: str, steps: int) -> dict[str, Any]:
    """A run of `steps` steps in tenths, next to the plain loop: seconds per step and memory."""
    variant = VARIANTS[variant_name]()
    variant.prepare()
    plain = Worker.start(TINY, Variant(), FIRST_STEPS, core=0)
    other = Worker.start(TINY, variant, FIRST_STEPS, core=0)
    count = max(2, steps // CHUNKS // TURN_STEPS)
    turns = Turns(0, count, TURN_STEPS, PLAIN_STEPS, skip=2)
    tenths = [_tenth(plain, other, turns) for _ in range(CHUNKS)]
    facts = other.facts()
    plain.close()
    other.close()
    series = {key: [tenth[key] for tenth in tenths] for key in tenths[0]}
    result = {"variant": variant_name, "title": TINY.title, "chunk_steps": count * TURN_STEPS}
    return {**result, **series, "spent": facts}


def _tenth(plain: Worker, other: Worker, turns: Turns) -> dict[str, float]:
    pairs = alternate(plain, other, turns, turns.steps)
    return {
        "seconds": float(np.mean([seen.mean for seen, _ in pairs])),
        "plain_seconds": float(np.mean([beside.mean for _, beside in pairs])),
        "ratio": float(np.median([seen.mean / beside.mean for seen, beside in pairs])),
        "resident": other.resident(),
        "plain_resident": plain.resident(),
    }


def memory(workload_name: str, variant_name: str) -> dict[str, Any]:
    """Peak resident bytes of a process that trains a few steps, looks among them."""
    workload = WORKLOADS.get(workload_name) or sized(int(workload_name))
    variant = VARIANTS[variant_name]()
    rig = workload.build()
    weights = 4 * rig.parameters()
    variant.attach(rig)
    del rig
    for _ in range(MEMORY_STEPS):
        variant.step()
    variant.detach()
    peak = _peak()
    names = {"workload": workload_name, "title": workload.title, "variant": variant_name}
    return {**names, "weight_bytes": weights, "peak_bytes": peak}


def _peak() -> int:
    """Peak resident bytes of this process.

    Not `ru_maxrss` where it can be helped: on Linux that survives `exec`, so a child starts with
    the peak of its parent.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
