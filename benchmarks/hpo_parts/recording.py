"""Records the trials of a task, each to its end; begun again, it goes on where it stopped.

There are two parts, drawn with different seeds into different folders: a policy is chosen on one
and judged on the other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import paramedic
from benchmarks.hpo_parts.models import Params
from benchmarks.hpo_parts.space import draw
from benchmarks.hpo_parts.tasks import EPOCHS, TASKS, Task
from paramedic.hpo.recording import Goal, StudyFolder

OVERHEAD = 0.02  # more than `paramedic.hpo.optuna.watch` has: the trials take only seconds


@dataclass(frozen=True, slots=True)
class Part:
    """Trials that are drawn with one seed; its studies lie in a folder of this name."""

    name: str
    seed: int

    def study(self, folder: Path, task: str) -> StudyFolder:
        return StudyFolder(folder / self.name / task)


TUNING = Part("tuning", 2026)
JUDGING = Part("judging", 9176)
PARTS = {part.name: part for part in (TUNING, JUDGING)}


def record(folder: Path, part: Part, trials: int) -> None:
    """All tasks in turn, trial by trial, so that a cut leaves as many of each."""
    studies = {}
    for name, task in TASKS.items():
        studies[name] = part.study(folder, name)
        studies[name].create(Goal(task.metric, task.direction, EPOCHS))
        warm_up(task)
    for number in range(trials):
        for name, study in studies.items():
            if not study.has(number):
                task = TASKS[name]
                params = draw(task.space, part.seed, sorted(TASKS).index(name), number)
                record_trial(task, study, number, params, part.seed + number)
        print(f"{part.name}: recorded {number + 1} of {trials} trials per task", flush=True)


def warm_up(task: Task) -> None:
    """One epoch that is not recorded: the first of a process loads what the others find loaded."""
    params = draw(task.space, TUNING.seed)
    model, optimizer = task.prepare(params, TUNING.seed)
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
