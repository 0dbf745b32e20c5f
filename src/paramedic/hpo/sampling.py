"""Letting a sampler learn from sick trials.

Optuna's GP and CMA-ES samplers do not look at pruned trials, so they suggest the same sick region
again and again. Here they are shown sick trials as if these had ended with the worst value of the
study, and those that were ended though healthy, since others were better, with the best value they
had. What the study keeps is not touched: the trials stay pruned, and `best_trial` is honest.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Container, Sequence
from typing import Any, cast

from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from paramedic.hpo.verdict import BEHIND, Decision

KEY = "paramedic"  # the user attribute with the verdict
PENALIZED = ("GPSampler", "CmaEsSampler")  # they do not look at pruned trials
_State = Container[TrialState] | None


def is_ended(trial: FrozenTrial) -> bool:
    """Whether the trial was pruned because of a verdict."""
    told = trial.user_attrs.get(KEY)
    if trial.state is not TrialState.PRUNED or not isinstance(told, dict):
        return False
    behind = _is_healthy(trial) and BEHIND in told.get("symptoms", ())
    return not told.get("shadow") and (told.get("decision") == Decision.STOP or behind)


def worst(trials: Sequence[FrozenTrial], direction: StudyDirection) -> float | None:
    """The worst finite value that any trial ended with or reported; None if there is none."""
    finite = _finite(trials)
    if not finite:
        return None
    return max(finite) if direction is StudyDirection.MINIMIZE else min(finite)


def _best(trial: FrozenTrial, direction: StudyDirection) -> float | None:
    finite = _finite([trial])
    if not finite:
        return None
    return min(finite) if direction is StudyDirection.MINIMIZE else max(finite)


def _finite(trials: Sequence[FrozenTrial]) -> list[float]:
    values = [one.value for one in trials if one.state is TrialState.COMPLETE]
    seen = [*values, *(v for one in trials for v in one.intermediate_values.values())]
    return [float(value) for value in seen if value is not None and math.isfinite(value)]


class PenalizingSampler(BaseSampler):
    """Shows `wrapped` the sick trials as complete, with the worst value of the study."""

    def __init__(self, wrapped: BaseSampler) -> None:
        self.wrapped = wrapped

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        return self.wrapped.infer_relative_search_space(_seen(study), trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        return self.wrapped.sample_relative(_seen(study), trial, search_space)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        return self.wrapped.sample_independent(_seen(study), trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        self.wrapped.before_trial(_seen(study), trial)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        self.wrapped.after_trial(_seen(study), trial, state, values)

    def reseed_rng(self) -> None:
        self.wrapped.reseed_rng()

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.wrapped})"


def _seen(study: Study) -> Study:
    return cast("Study", _View(study))


class _View:
    """A study in which sick trials are complete and bad; Hyperband's brackets do likewise."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def __getattr__(self, name: str) -> Any:
        return getattr(self._study, name)

    @property
    def trials(self) -> list[FrozenTrial]:
        return self.get_trials()

    def get_trials(self, deepcopy: bool = True, states: _State = None) -> list[FrozenTrial]:
        found = self._get_trials(deepcopy=False, states=states)
        return copy.deepcopy(found) if deepcopy else found

    def _get_trials(
        self, deepcopy: bool = True, states: _State = None, use_cache: bool = False
    ) -> list[FrozenTrial]:
        everything = self._study._get_trials(deepcopy=deepcopy, use_cache=use_cache)
        direction = self._study.direction
        penalty = worst(everything, direction)
        shown = (
            _completed(one, _best(one, direction) if _is_healthy(one) else penalty)
            if is_ended(one)
            else one
            for one in everything
        )
        return [one for one in shown if states is None or one.state in states]


def _is_healthy(trial: FrozenTrial) -> bool:
    """Of a trial that was ended: whether nothing was wrong but its value."""
    return bool(trial.user_attrs[KEY].get("decision") == Decision.FINISHED)


def _completed(trial: FrozenTrial, value: float | None) -> FrozenTrial:
    if value is None:
        return trial
    shown = copy.copy(trial)
    shown.state, shown.value = TrialState.COMPLETE, value
    return shown
