"""One live study until its time is up, with or without diagnosis."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import optuna
from optuna.pruners import NopPruner
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from benchmarks.hpo_parts.live_scores import Ended
from benchmarks.hpo_parts.space import suggest
from benchmarks.hpo_parts.tasks import EPOCHS, Task
from paramedic.hpo.optuna import DiagnosisPruner, watch
from paramedic.hpo.verdict import Verdict

Objective = Callable[[optuna.Trial], float]


class TimeUp(Exception):
    """Ends the trial that is running when the budget is spent."""


class Stopwatch:
    """Tells the seconds since it was made, and when the budget is spent."""

    def __init__(self, budget: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget, self._clock, self._begin = budget, clock, clock()

    def look(self) -> float:
        """The seconds; raises `TimeUp` if there are too many."""
        seconds = self._clock() - self._begin
        if seconds > self._budget:
            raise TimeUp
        return seconds


def run(
    task: Task, sampler: BaseSampler, seed: int, stopwatch: Stopwatch, *, watched: bool
) -> dict[str, Any]:
    """The trials that ended in time, and the processor seconds that the study got.

    The value of a trial is its best accuracy.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    begin = time.process_time()
    study = optuna.create_study(
        direction=task.direction,
        sampler=sampler,
        pruner=DiagnosisPruner() if watched else NopPruner(),
    )
    objective = (_watched if watched else _plain)(task, seed, stopwatch)
    ended: list[Ended] = []
    with suppress(TimeUp):
        study.optimize(objective, callbacks=[lambda _, one: ended.append(_told(one, stopwatch))])
    processor = time.process_time() - begin
    return {"trials": [one.to_json() for one in ended], "processor": processor}


def _plain(task: Task, seed: int, stopwatch: Stopwatch) -> Objective:
    """Every trial to its end."""

    def objective(trial: optuna.Trial) -> float:
        params = suggest(task.space, trial)
        model, optimizer = task.prepare(params, seed + trial.number)
        values = []
        for told in task.train(model, optimizer, params):
            stopwatch.look()
            values.append(told[task.metric])
        return max(values)

    return objective


def _watched(task: Task, seed: int, stopwatch: Stopwatch) -> Objective:
    """The same, with what the manual of `paramedic.hpo.optuna` adds."""

    def objective(trial: optuna.Trial) -> float:
        params = suggest(task.space, trial)
        model, optimizer = task.prepare(params, seed + trial.number)
        values: list[float] = []
        with watch(trial, model, optimizer, epochs=EPOCHS) as monitor:
            for epoch, told in enumerate(task.train(model, optimizer, params)):
                stopwatch.look()
                monitor.epoch(**told)
                values.append(told[task.metric])
                trial.report(values[-1], epoch)
                if trial.should_prune():
                    raise optuna.TrialPruned
                if monitor.finished:
                    break
        return max(values)

    return objective


def _told(trial: FrozenTrial, stopwatch: Stopwatch) -> Ended:
    value = trial.value if trial.state is TrialState.COMPLETE else None
    verdict = trial.user_attrs.get("paramedic")
    ended_by = Verdict.from_json(verdict) if verdict else None
    how = str(ended_by) if ended_by and ended_by.ends else ""
    return Ended(stopwatch.look(), value, how)
