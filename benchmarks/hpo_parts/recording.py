"""Records the trials of a task, each to its end; begun again, it goes on where it stopped.

The parts are drawn with different seeds into different folders: a policy is chosen on some and
judged on another. Several processes may record, each some of the trials.
"""

from __future__ import annotations

import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import torch

import paramedic
from benchmarks.hpo_parts.models import Params
from benchmarks.hpo_parts.space import draw
from benchmarks.hpo_parts.tasks import EPOCHS, TASKS, Task
from paramedic.hpo.recording import Goal, StudyFolder

WARM_UP = 2026  # seed
OVERHEAD = 0.02  # more than `paramedic.hpo.optuna.watch` has: the trials take only seconds


@dataclass(frozen=True, slots=True)
class Part:
    """Trials that are drawn with one seed, so many per task; its studies lie in a folder of this
    name."""

    name: str
    seed: int
    trials: int

    def study(self, folder: Path, task: str) -> StudyFolder:
        return StudyFolder(folder / self.name / task)


TUNING = (
    Part("tuning", 2026, 150),
    Part("tuning-2", 9176, 150),
    Part("tuning-3", 5347, 150),
    Part("tuning-4", 7411, 450),
)
# A study with a rule has three to six times as many trials in the time of 150: of so many recorded
# ones few are played twice, and no single lucky one makes the measures.
JUDGING = Part("judging", 3862, 450)
PARTS = {part.name: part for part in (*TUNING, JUDGING)}


def record(folder: Path, part: Part, processes: int = 1, trials: int = 0) -> None:
    """The trials of a part, or only the first ones, by so many processes of one thread each."""
    for name, task in TASKS.items():
        part.study(folder, name).create(Goal(task.metric, task.direction, EPOCHS))
    count = trials or part.trials
    shares = [range(first, count, processes) for first in range(processes)]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        list(pool.map(_record_some, *zip(*((folder, part, one) for one in shares), strict=True)))


def _record_some(folder: Path, part: Part, numbers: range) -> None:
    """All tasks in turn, trial by trial, so that a cut leaves as many of each."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="Using padding='same' with even kernel")
    studies = {name: part.study(folder, name) for name in TASKS}
    for task in TASKS.values():
        warm_up(task)
    for number in numbers:
        for name, study in studies.items():
            if not study.has(number):
                task = TASKS[name]
                params = draw(task.space, part.seed, sorted(TASKS).index(name), number)
                record_trial(task, study, number, params, part.seed + number)
        print(f"{part.name}: recorded trial {number} of each task", flush=True)


def warm_up(task: Task) -> None:
    """One epoch that is not recorded: the first of a process loads what the others find loaded."""
    params = draw(task.space, WARM_UP)
    model, optimizer = task.prepare(params, WARM_UP)
    with paramedic.watch(model, optimizer, overhead=OVERHEAD) as monitor:
        monitor.epoch(**next(task.train(model, optimizer, params)))


def record_trial(task: Task, study: StudyFolder, number: int, params: Params, seed: int) -> None:
    """One trial to its end."""
    study.discard(number)
    task.load()
    begin = time.process_time()
    values, seconds = [], []
    model, optimizer = task.prepare(params, seed)
    with paramedic.watch(model, optimizer, trace=study.trace(number), overhead=OVERHEAD) as monitor:
        for told in task.train(model, optimizer, params):
            monitor.epoch(**told)
            values.append(told[task.metric])
            seconds.append(time.process_time() - begin)
    study.add(number, values, seconds, params)
