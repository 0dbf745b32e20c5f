"""Runs what is planned, task by task, with a line of progress each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from .cache import Cache
from .measuring import measure
from .measuring import unwatched as measure_unwatched
from .plan import Task, unwatched

COMPARED = ("dual", "rescue")  # parts whose runs are held against untreated ones


def run(planned: Sequence[Task], cache: Cache) -> list[dict[str, Any]]:
    """The results with their tasks, in the order of the plan."""
    for done, task in enumerate(_mixed(planned), 1):
        begin = time.perf_counter()
        row(task, cache)
        seconds = time.perf_counter() - begin
        if seconds > 0.05:
            line = f"{done} of {len(planned)}  {task.part}  {task.patient.name}"
            print(f"{line}  {seconds:.1f} s", flush=True)
    return known(planned, cache)


def known(planned: Sequence[Task], cache: Cache) -> list[dict[str, Any]]:
    """What was measured so far."""
    return [row(task, cache) for task in planned if _is_known(task, cache)]


def row(task: Task, cache: Cache) -> dict[str, Any]:
    """The result of a task with its task, measured if it is not known."""
    found = cache.get(task.to_json(), lambda: measure(task))
    beside = _beside(task, cache) if task.part in COMPARED else {}
    return {"task": task.to_json(), **found, **beside}


def _is_known(task: Task, cache: Cache) -> bool:
    return cache.knows(task.to_json()) and (
        task.part not in COMPARED
        or all(cache.knows(one.to_json(), watched=False) for one in unwatched(task))
    )


def _mixed(planned: Sequence[Task]) -> list[Task]:
    """All parts in turn, each from both ends: what is interrupted has something of everything."""
    parts: dict[str, list[Task]] = {}
    for task in planned:
        parts.setdefault(task.part, []).append(task)
    spread = [
        (((7 * place) % len(several)) / len(several), task)
        for several in parts.values()
        for place, task in enumerate(several)
    ]
    return [task for _, task in sorted(spread, key=lambda one: one[0])]


def _beside(task: Task, cache: Cache) -> dict[str, float | None]:
    """The final losses of the run without faults, and of the run that nobody treats."""
    losses = [
        cache.get(one.to_json(), lambda one=one: measure_unwatched(one), watched=False)["loss"]
        for one in unwatched(task)
    ]
    return {"clean": losses[0], "untreated": losses[1]}


def overhead(cache: Cache, *, measure: bool) -> dict[str, list[float]]:
    """The ratios of the step time of each model to the plain loop."""
    from .overhead import measure_overhead, overhead_tasks

    found = {}
    for task in overhead_tasks():
        if measure or cache.knows(task.to_json()):
            result = cache.get(task.to_json(), lambda task=task: measure_overhead(task))
            found[f"char-GPT {task.patient.size}"] = result["ratios"]
    return found
