"""SMAC as a sampler of Optuna, over its ask and tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer
from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState
from smac import HyperparameterOptimizationFacade, Scenario
from smac.runhistory import StatusType, TrialInfo, TrialValue

from benchmarks.hpo_parts.space import Between, OneOf, Space

INITIAL = 10  # trials before the forest is asked; as many as Optuna's TPE and GP begin with
_ENDLESS = 100_000  # SMAC wants to know how many trials there will be; ask and tell has no limit


class SmacSampler(BaseSampler):
    """Asks SMAC's random forest for each trial of a known space, and tells it how it ended.

    SMAC needs one finite cost of each trial, whatever became of it:

    * A trial that came to its end is told as a success, with its value.
    * A pruned one is told as crashed, with the last finite value that it reported, as OptunaHub's
      sampler does. The forest learns from both alike, so the cost is what counts; the status says
      that the trial did not come to its end.
    * One without any finite value (it failed, ended with NaN or reported nothing) is told as
      crashed with the worst cost told so far. Before there is one, it waits for it.

    Args:
        space: everything that will be suggested.
        seed: two samplers with the same seed suggest the same as long as they are told the same.
        initial: trials of a Sobol sequence to begin with.
    """

    def __init__(self, space: Space, seed: int, initial: int = INITIAL) -> None:
        self._space = space
        self._smac = _facade(space, seed, initial)
        self._asked: dict[int, TrialInfo] = {}
        self._waiting: list[TrialInfo] = []
        self._worst = -math.inf

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        return {}  # all that SMAC has chosen is handed out name by name

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        return {}

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        self._asked[trial.number] = self._smac.ask()

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        chosen = self._asked[trial.number].config[param_name]
        one = self._space[param_name]
        if isinstance(one, OneOf):
            return one.choices[int(chosen)]
        return int(chosen) if one.whole else float(chosen)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        info = self._asked.pop(trial.number)
        value = _finite_value(trial, values)
        if value is None:
            self._waiting.append(info)
        else:
            cost = -value if study.direction is StudyDirection.MAXIMIZE else value
            self._worst = max(self._worst, cost)
            sound = state is TrialState.COMPLETE and values and math.isfinite(values[0])
            self._tell(info, cost, StatusType.SUCCESS if sound else StatusType.CRASHED)
        self._tell_waiting()

    def _tell_waiting(self) -> None:
        if math.isfinite(self._worst):
            for info in self._waiting:
                self._tell(info, self._worst, StatusType.CRASHED)
            self._waiting.clear()

    def _tell(self, info: TrialInfo, cost: float, status: StatusType) -> None:
        self._smac.tell(info, TrialValue(cost, status=status), save=False)


def _finite_value(trial: FrozenTrial, values: Sequence[float] | None) -> float | None:
    """The value that the trial ended with, or else the last that it reported."""
    reported = [value for _, value in sorted(trial.intermediate_values.items())]
    finite = [float(one) for one in (*reported, *(values or ())) if math.isfinite(one)]
    return finite[-1] if finite else None


def _facade(space: Space, seed: int, initial: int) -> HyperparameterOptimizationFacade:
    parameters = {name: _parameter(name, one) for name, one in space.items()}
    with TemporaryDirectory() as folder:  # it writes once, when it is made
        scenario = Scenario(
            ConfigurationSpace(space=parameters),
            deterministic=True,  # no trial is repeated
            n_trials=_ENDLESS,
            seed=seed,
            output_directory=Path(folder),
        )
        design = HyperparameterOptimizationFacade.get_initial_design(scenario, n_configs=initial)
        return HyperparameterOptimizationFacade(
            scenario, initial_design=design, logging_level=False, overwrite=True
        )


def _parameter(name: str, one: Between | OneOf) -> Any:
    """Choices are numbered, since not everything that can be chosen is a name or a number."""
    if isinstance(one, OneOf):
        return Categorical(name, list(range(len(one.choices))))
    if one.whole:
        return Integer(name, (int(one.low), int(one.high)))
    return Float(name, (one.low, one.high), log=one.log)
