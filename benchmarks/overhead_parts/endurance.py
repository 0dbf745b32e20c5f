"""A very long run, and the memory that watching takes: each job has a process of its own."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import Any

import psutil

from .registry import VARIANTS
from .variants import Watch
from .workloads import TINY, WORKLOADS, sized

CHUNKS = 10
MEMORY_STEPS = 6


def flatness(variant_name: str, steps: int) -> dict[str, Any]:
    """Seconds per step and resident bytes of each tenth of a run of `steps` steps."""
    variant = VARIANTS[variant_name]()
    variant.attach(TINY.build())
    process = psutil.Process()
    for _ in range(min(1000, steps)):
        variant.step()
    first, seconds, resident = process.memory_info().rss, [], []
    for _ in range(CHUNKS):
        begin = time.perf_counter()
        for _ in range(steps // CHUNKS):
            variant.step()
        seconds.append((time.perf_counter() - begin) / (steps // CHUNKS))
        resident.append(process.memory_info().rss)
    result = {
        "variant": variant_name,
        "title": TINY.title,
        "chunk_steps": steps // CHUNKS,
        "seconds": seconds,
        "resident_at_start": first,
        "resident": resident,
        "spent": variant.facts(),
        "trace_bytes": variant.trace_bytes() if isinstance(variant, Watch) else 0,
    }
    variant.detach()
    return result


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
