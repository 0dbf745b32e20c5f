"""A variant in a process of its own that runs a few steps whenever it is its turn.

The process is a fork, so all variants of a workload start from the same interpreter with the same
modules loaded, and no hook of one can touch another. While it waits for its turn it sleeps. Those
that take turns share a core, since the cores of a busy machine are not equally fast; helper threads
of a variant may use the others.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from .variants import Variant
from .workloads import Workload

FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Opening:
    """How a worker began: seconds to attach, seconds of each of the first steps."""

    attach: float
    steps: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """Seconds per step in one turn."""

    steps: int
    mean: float
    median: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Worker:
    """The near end of a running variant; also a context manager."""

    process: Any
    pipe: Connection
    opening: Opening

    @classmethod
    def start(cls, workload: Workload, variant: Variant, first_steps: int, core: int) -> Worker:
        """Fork, build the model, attach the variant and run the first steps."""
        pipe, far = FORK.Pipe()
        process = FORK.Process(target=_serve, args=(far, workload, variant, first_steps, core))
        process.start()
        far.close()
        return cls(process, pipe, pipe.recv())

    def turn(self, steps: int, skip: int = 0) -> Turn:
        """Run `skip` steps to warm the caches, then time `steps` steps."""
        self.pipe.send((steps, skip))
        return self.pipe.recv()

    def facts(self) -> dict[str, Any]:
        """What the variant says about its own cost so far."""
        self.pipe.send("facts")
        return self.pipe.recv()

    def resident(self) -> int:
        """Bytes of memory that the process holds."""
        return psutil.Process(self.process.pid).memory_info().rss

    def close(self) -> float:
        """Detach the variant and end the process; seconds that detaching took."""
        self.pipe.send("close")
        seconds = self.pipe.recv()
        self.process.join()
        return seconds


def _serve(
    pipe: Connection, workload: Workload, variant: Variant, first_steps: int, core: int
) -> None:
    rig = workload.build()
    gc.collect()
    begin = time.perf_counter()
    variant.attach(rig)
    attach = time.perf_counter() - begin
    _stay_on(core)
    pipe.send(Opening(attach, tuple(_step_times(variant, first_steps).tolist())))
    while (order := pipe.recv()) != "close":
        pipe.send(variant.facts() if order == "facts" else _turn(variant, *order))
    begin = time.perf_counter()
    variant.detach()
    pipe.send(time.perf_counter() - begin)


def _stay_on(core: int) -> None:
    """Keep this thread, but not those that exist beside it, to one of the cores we may use."""
    if hasattr(os, "sched_setaffinity"):
        usable = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {usable[core % len(usable)]})


def _turn(variant: Variant, steps: int, skip: int) -> Turn:
    _step_times(variant, skip)
    cpu = time.process_time()
    times = _step_times(variant, steps)
    cpu = time.process_time() - cpu
    return Turn(steps, float(times.mean()), float(np.median(times)), cpu / steps)


def _step_times(variant: Variant, steps: int) -> NDArray[np.float64]:
    clock, step = time.perf_counter, variant.step
    marks = np.empty(steps + 1)
    marks[0] = clock()
    for index in range(1, steps + 1):
        step()
        marks[index] = clock()
    return np.diff(marks)
