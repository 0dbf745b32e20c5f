"""What diagnosis costs in a study: the same trials with and without, in turn."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.hpo_parts.models import Params
from benchmarks.hpo_parts.recording import warm_up
from benchmarks.hpo_parts.space import draw
from benchmarks.hpo_parts.tasks import EPOCHS, TASKS, Task
from paramedic.hpo.bedside import Bedside, Orders
from paramedic.hpo.standing import nobody

TRIALS = 4  # per task
SEED = 5
IN_TURN = (False, True, True, False)  # so that what drifts weighs on both


def measure(trials: int = TRIALS) -> dict[str, Any]:
    """For each task the processor seconds of the trials with and without, and their ratio."""
    found = {}
    for place, (name, task) in enumerate(TASKS.items()):
        warm_up(task)
        seconds = {True: 0.0, False: 0.0}
        for number in range(trials):
            params = draw(task.space, SEED, place, number)
            for watched in IN_TURN:
                seconds[watched] += _seconds(task, params, watched)
        found[name] = {
            "trials": 2 * trials, "with": seconds[True], "without": seconds[False],
            "ratio": seconds[True] / seconds[False],
        }  # fmt: skip
        print(f"measured {name}", flush=True)
    return found


def _seconds(task: Task, params: Params, watched: bool) -> float:
    """The time of one trial, from its model to its last epoch."""
    begin = time.process_time()
    model, optimizer = task.prepare(params, SEED)
    if watched:
        # In a shadow: it judges at every epoch and lets the trial go on.
        orders = Orders(epochs=EPOCHS, metric=task.metric, direction=task.direction, shadow=True)
        monitor = Bedside(
            model, optimizer, orders, peers=nobody, told=lambda _: None, broken=RuntimeError
        )
        for told in task.train(model, optimizer, params):
            monitor.epoch(**told)
        monitor.close()
    else:
        for _ in task.train(model, optimizer, params):
            pass
    return time.process_time() - begin
