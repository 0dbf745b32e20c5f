"""What diagnosis costs in a study: the same trials with and without, in turn.

The recorded trials take seconds, so that what is done once per trial or epoch weighs in them as in
no real study. These are larger: as many images as there are, the batch sizes of BTTackler's paper.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.hpo_parts import data
from benchmarks.hpo_parts.models import Params
from benchmarks.hpo_parts.recording import warm_up
from benchmarks.hpo_parts.space import Between, draw
from benchmarks.hpo_parts.tasks import EPOCHS, TASKS, Task
from paramedic.hpo.bedside import Bedside, Orders
from paramedic.hpo.standing import nobody

TRIALS = 2  # per task
SEED = 5
IN_TURN = (False, True, True, False)  # so that what drifts weighs on both
_IMAGES = Between(45, 720, whole=True)
LARGE = {
    "cnn": (partial(data.images, 10_000, 2000), _IMAGES),
    "lstm": (partial(data.rows, 10_000, 2000), _IMAGES),
    "transformer": (partial(data.rates, 3000, 500), Between(32, 256, whole=True)),
}


def measure(trials: int = TRIALS) -> dict[str, Any]:
    """For each task the processor seconds of the trials with and without, and their ratio."""
    found = {}
    for place, name in enumerate(TASKS):
        task = _larger(name)
        warm_up(TASKS[name])
        seconds = {True: 0.0, False: 0.0}
        for number in range(trials):
            params = draw(task.space, SEED, place, number)
            for watched in IN_TURN:
                seconds[watched] += _seconds(task, params, watched)
        found[name] = {
            "trials": 2 * trials, "with": seconds[True], "without": seconds[False],
            "ratio": seconds[True] / seconds[False],
        }  # fmt: skip
        print(f"measured {name}: {found[name]}", flush=True)
    return found


def _larger(name: str) -> Task:
    load, batches = LARGE[name]
    task = TASKS[name]
    return replace(task, load=load, space={**task.space, "batch_size": batches})


def _seconds(task: Task, params: Params, watched: bool) -> float:
    """The time of one trial, from its model to its last epoch."""
    task.load()
    begin = time.process_time()
    model, optimizer = task.prepare(params, SEED)
    if watched:
        # In a shadow: it judges at every epoch and lets the trial go on.
        orders = Orders(epochs=EPOCHS, metric=task.metric, direction=task.direction, shadow=True)
        monitor = Bedside(
            model, optimizer, orders, peers=nobody, told=lambda _: None, broken=RuntimeError
        )
        for told in task.train(model, optimizer, params, EPOCHS):
            monitor.epoch(**told)
        monitor.close()
    else:
        for _ in task.train(model, optimizer, params, EPOCHS):
            pass
    return time.process_time() - begin
