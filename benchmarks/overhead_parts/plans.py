"""Which jobs make up each part of the benchmark, and how long they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from .jobs import Job, start


@dataclass(frozen=True, slots=True)
class Turns:
    """How a variant and the plain loop take turns."""

    first_steps: int  # before the turns begin
    count: int
    steps: int  # of the variant in a turn
    plain_steps: int
    skip: int = 0  # untimed steps at the start of a turn, while the caches warm
    looks: int = 0  # end after so many full looks, so that whole cycles are timed


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure one workload.

    A variant with a budget looks hard at its first steps and then at few; it takes the time
    between two of its steps for the time of a step. So its first steps are left out, its turns
    are longer, and they go on until it has looked in full again.
    """

    repeats: int
    usual: Turns
    budgeted: Turns

    def turns(self, *, budgeted: bool, share: float) -> Turns:
        """The turns of one variant; `share` of the usual number."""
        if budgeted:
            return self.budgeted
        return replace(self.usual, count=max(1, round(share * self.usual.count)))


FULL_PLANS = {
    "W1": Plan(9, Turns(2, 8, 1, 1), Turns(6, 24, 5, 3, looks=3)),
    "W1b": Plan(7, Turns(1, 2, 1, 1), Turns(6, 8, 5, 2, looks=1)),
    "W2": Plan(9, Turns(20, 20, 20, 20, 1), Turns(20, 100, 40, 20, 1, looks=3)),
    "W3": Plan(7, Turns(2, 5, 1, 1), Turns(6, 16, 5, 2, looks=3)),
}
QUICK_PLANS = {
    "W1": Plan(1, Turns(1, 3, 1, 1), Turns(6, 2, 5, 3)),
    "W1b": Plan(1, Turns(1, 1, 1, 1), Turns(6, 1, 2, 1)),
    "W2": Plan(1, Turns(5, 5, 10, 10, 1), Turns(20, 10, 20, 10, 1)),
    "W3": Plan(1, Turns(1, 3, 1, 1), Turns(6, 2, 5, 3)),
}


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asked for."""

    quick: bool
    repeats: int | None
    variants: list[str]
    workloads: list[str] | None = None  # of the comparison in one process


def _run_workload(name: str, options: Options) -> dict[str, Any] | None:
    plan = asdict((QUICK_PLANS if options.quick else FULL_PLANS)[name])
    if options.repeats:
        plan["repeats"] = options.repeats
    job: Job = {"kind": "workload", "name": name, "variants": options.variants, "plan": plan}
    return start(job)


def _run_one_process(options: Options) -> dict[str, Any] | None:
    usual = ["control", "watch", "watch-vitals", "watch-full"]
    variants = [name for name in usual if name in options.variants]
    repeats = options.repeats or (1 if options.quick else 9)
    runs = {}
    for name in options.workloads or ("W2", "W1", "W3", "W1b"):
        job = {"kind": "together", "name": name, "variants": variants, "repeats": repeats}
        result = start(job)
        if result is not None:
            runs[name] = result
    if not runs:
        return None
    return {"workloads": runs, "machine": next(iter(runs.values()))["machine"]}


def _run_sweep(axis: str, options: Options) -> dict[str, Any] | None:
    return start(
        {"kind": "sweep", "axis": axis, "quick": options.quick, "repeats": options.repeats}
    )


def _run_flatness(options: Options) -> dict[str, Any] | None:
    # A look at every step makes a step dear: a fifth of the steps are many looks all the same.
    lengths = {"watch": 5_000, "watch-full": 5_000}
    if not options.quick:
        lengths = {"watch": 100_000, "watch-full": 20_000}
    return _together(
        [{"kind": "flatness", "variant": name, "steps": steps} for name, steps in lengths.items()]
    )


def _run_memory(options: Options) -> dict[str, Any] | None:
    workloads = ("16000000",) if options.quick else ("W1b", "125000000")
    repeats = 1 if options.quick else 2
    jobs = [
        {"kind": "memory", "workload": workload, "variant": name}
        for _ in range(repeats)
        for workload in workloads
        for name in ("plain", "watch", "watch-full")
    ]
    return _together(jobs)


def _together(jobs: list[Job]) -> dict[str, Any] | None:
    """Run several jobs one after the other and keep their results side by side."""
    results = [result for job in jobs if (result := start(job)) is not None]
    if not results:
        return None
    machine = results[0]["machine"]
    bare = [{k: v for k, v in result.items() if k != "machine"} for result in results]
    return {"runs": bare, "machine": machine}


PARTS: dict[str, Callable[[Options], dict[str, Any] | None]] = {
    "W1": lambda options: _run_workload("W1", options),
    "W1b": lambda options: _run_workload("W1b", options),
    "W2": lambda options: _run_workload("W2", options),
    "W3": lambda options: _run_workload("W3", options),
    "one-process": _run_one_process,
    "parameters": lambda options: _run_sweep("parameters", options),
    "tensors": lambda options: _run_sweep("tensors", options),
    "flatness": _run_flatness,
    "memory": _run_memory,
}
