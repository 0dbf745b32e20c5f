"""One trial of an Optuna study, with or without diagnosis, timed a stretch at a time.

The study has 150 other trials, so that there is something to compare with. With diagnosis it is
watched as the manual shows it, but in a shadow: judged at every epoch, and let go on.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator

import numpy as np
import optuna
import torch
from optuna.pruners import NopPruner
from optuna.trial import FrozenTrial, create_trial

from benchmarks.hpo_parts.models import Params
from benchmarks.hpo_parts.tasks import EPOCHS, Task
from paramedic.hpo.optuna import DiagnosisPruner, watch

OTHERS = 150
SEED = 5


def run_stretches(task: Task, params: Params, watched: bool) -> list[float]:
    """The processor seconds of the beginning of a trial, of each epoch, and of its end."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="Using padding='same' with even kernel")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = study_of(task, watched)
    task.load()
    found, begin = [], time.process_time()
    for _ in (_watched if watched else _plain)(task, study, params):
        now = time.process_time()
        found.append(now - begin)
        begin = now
    return found


def _plain(task: Task, study: optuna.Study, params: Params) -> Iterator[None]:
    trial = study.ask()
    model, optimizer = task.prepare(params, SEED)
    yield
    for epoch, told in enumerate(task.train(model, optimizer, params)):
        trial.report(told[task.metric], epoch)
        trial.should_prune()
        yield
    study.tell(trial, told[task.metric])
    yield


def _watched(task: Task, study: optuna.Study, params: Params) -> Iterator[None]:
    trial = study.ask()
    model, optimizer = task.prepare(params, SEED)
    with watch(trial, model, optimizer, epochs=EPOCHS, metric=task.metric, shadow=True) as monitor:
        yield
        for epoch, told in enumerate(task.train(model, optimizer, params)):
            monitor.epoch(**told)
            trial.report(told[task.metric], epoch)
            trial.should_prune()
            yield
    study.tell(trial, told[task.metric])
    yield


def study_of(task: Task, watched: bool) -> optuna.Study:
    """A study that has had its other trials."""
    study = optuna.create_study(
        direction=task.direction,
        sampler=optuna.samplers.RandomSampler(seed=SEED),
        pruner=DiagnosisPruner() if watched else NopPruner(),
    )
    random = np.random.default_rng(SEED)
    study.add_trials([_other(task, random) for _ in range(OTHERS)])
    return study


def _other(task: Task, random: np.random.Generator) -> FrozenTrial:
    """A trial that was watched to its end: losses that fall to some level."""
    level, pace = random.uniform(0.2, 2.3), random.uniform(1.0, 20.0)
    loss = [level + (2.3 - level) * math.exp(-epoch / pace) for epoch in range(EPOCHS)]
    values = [1 / (1 + one) for one in loss] if task.classifies else loss
    told = {
        "decision": "continue", "epoch": EPOCHS, "step": 1000, "epochs": EPOCHS, "seconds": 6.0,
        "losses": {"val_loss": loss, "train_loss": loss},
    }  # fmt: skip
    return create_trial(
        value=values[-1],
        intermediate_values=dict(enumerate(values)),
        user_attrs={"paramedic": told},
    )
