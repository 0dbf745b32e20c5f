"""Studies in which every trial is healthy: does anything but having no more to gain end one?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.hpo_parts.recording import record_trial, warm_up
from benchmarks.hpo_parts.space import Between, OneOf, Space, draw
from benchmarks.hpo_parts.tasks import EPOCHS, TASKS
from paramedic.hpo.policy import Policy
from paramedic.hpo.recording import Goal, StudyFolder
from paramedic.hpo.rivals import Diagnosed
from paramedic.hpo.simulator import play
from paramedic.hpo.timeline import timelines

TRIALS = 20  # per task
SEED = 60
# Settings that anybody would begin with; the rest of each space stays as it is.
USUAL: Space = {
    "rate": Between(1e-3, 4e-3, log=True),
    "optimizer": OneOf(("adam",)),
    "dropout": Between(0.0, 0.2),
    "activation": OneOf(("relu", "leaky_relu", "elu")),
    "batch_norm": OneOf((True,)),
    "batch_size": Between(16, 48, whole=True),
}


def record(folder: Path) -> None:
    """Trials of the three tasks with usual settings; resumable."""
    for place, (name, task) in enumerate(TASKS.items()):
        study = StudyFolder(folder / name)
        study.create(Goal(task.metric, task.direction, EPOCHS))
        warm_up(task)
        space = {key: USUAL.get(key, one) for key, one in task.space.items()}
        for number in range(TRIALS):
            if not study.has(number):
                params = draw(space, SEED, place, number)
                record_trial(task, study, number, params, SEED + number)


def is_recorded(folder: Path) -> bool:
    """Whether all trials are there."""
    studies = [StudyFolder(folder / name) for name in TASKS]
    return all(study.has(number) for study in studies for number in range(TRIALS))


def judge(folder: Path) -> dict[str, Any]:
    """How the trials ended under our rule, each study in the order of its numbers."""
    ended: Counter[str] = Counter()
    for name in TASKS:
        pool = timelines(StudyFolder(folder / name))
        ended.update(
            f"{run.decision}: {run.cause}" if run.cause else "to the end"
            for run in play(pool, Diagnosed(Policy()))
        )
    return {"trials": sum(ended.values()), "ended": dict(ended.most_common())}
