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
    rows = []
    for count, task in enumerate(planned, 1):
        begin = time.perf_counter()
        row = {"task": task.to_json(), **cache.get(task.to_json(), lambda task=task: measure(task))}
        if task.part in COMPARED:
            row |= _beside(task, cache)
        rows.append(row)
        seconds = time.perf_counter() - begin
        if seconds > 0.05:
            line = f"{count} of {len(planned)}  {task.part}  {task.patient.name}"
            print(f"{line}  {seconds:.1f} s", flush=True)
    return rows


def _beside(task: Task, cache: Cache) -> dict[str, float | None]:
    """The final losses of the run without faults, and of the run that nobody treats."""
    losses = [
        cache.get(one.to_json(), lambda one=one: measure_unwatched(one), watched=False)["loss"]
        for one in unwatched(task)
    ]
    return {"clean": losses[0], "untreated": losses[1]}
