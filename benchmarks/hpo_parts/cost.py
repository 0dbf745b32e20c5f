"""What diagnosis costs in a study: the same trials with and without, in turn.

The recorded trials take seconds, so that what is done once per trial or epoch weighs in them as in
no real study. These are larger: as many images as there are, the batch sizes of BTTackler's paper.

The same trial takes two percent more or less from one run to the next, by where its numbers happen
to lie in memory. So each trial runs many times both ways, in a process of its own, and of each
stretch (the beginning, every epoch, the end) the median counts.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from statistics import median, stdev
from typing import Any

from benchmarks.hpo_parts import data
from benchmarks.hpo_parts.cost_trial import run_stretches
from benchmarks.hpo_parts.space import Between, draw
from benchmarks.hpo_parts.tasks import TASKS, Task

TRIALS = 4  # per task
REPEATS = 6
SEED = 5
_IMAGES = Between(45, 720, whole=True)
LARGE = {
    "cnn": (partial(data.images, 10_000, 2000), _IMAGES),
    "lstm": (partial(data.rows, 10_000, 2000), _IMAGES),
    "transformer": (partial(data.rates, 3000, 500), Between(32, 256, whole=True)),
}


def measure(trials: int = TRIALS, repeats: int = REPEATS) -> dict[str, Any]:
    """For each task the processor seconds of its trials with and without, summed and each."""
    found = {}
    for name in TASKS:
        jobs = [(name, number, repeats) for number in range(trials)]
        with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
            both = list(pool.map(_both, *zip(*jobs, strict=True)))
        found[name] = {
            "repeats": repeats, "trials": both,
            "with": sum(one["with"] for one in both),
            "without": sum(one["without"] for one in both),
        }  # fmt: skip
        print(f"measured {name}: {more({name: found[name]}):+.2%}", flush=True)
    return found


def more(cost: dict[str, Any]) -> float:
    """What all trials together took more."""
    return float(sum(one["with"] for one in cost.values()) / _without(cost) - 1)


def uncertainty(cost: dict[str, Any]) -> float:
    """The standard error of `more`, by how much the trials differ from it."""
    expected = 1 + more(cost)
    trials = [one for task in cost.values() for one in task["trials"]]
    rest = [one["with"] - expected * one["without"] for one in trials]
    return len(trials) ** 0.5 * stdev(rest) / _without(cost)


def _without(cost: dict[str, Any]) -> float:
    return float(sum(one["without"] for one in cost.values()))


def larger(name: str) -> Task:
    """A task at the size of a real one."""
    load, batches = LARGE[name]
    task = TASKS[name]
    return replace(task, load=load, space={**task.space, "batch_size": batches})


def _both(name: str, number: int, repeats: int) -> dict[str, float]:
    """The seconds of one trial both ways; who goes first changes."""
    task = larger(name)
    params = draw(task.space, SEED, [*TASKS].index(name), number)
    runs: dict[bool, list[list[float]]] = {True: [], False: []}
    for repeat in range(repeats):
        for watched in (repeat % 2 == 0, repeat % 2 == 1):
            runs[watched].append(run_stretches(task, params, watched))
    found = {
        "with": _of_medians(runs[True]),
        "without": _of_medians(runs[False]),
    }
    print(f"  {name} {number}: {found['with'] / found['without'] - 1:+.2%}", flush=True)
    return found


def _of_medians(runs: list[list[float]]) -> float:
    return sum(median(stretch) for stretch in zip(*runs, strict=True))
