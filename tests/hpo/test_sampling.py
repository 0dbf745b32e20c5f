from __future__ import annotations

import math
import warnings

import pytest

optuna = pytest.importorskip("optuna")

from optuna.samplers import BaseSampler, GPSampler, RandomSampler  # noqa: E402
from optuna.study import StudyDirection  # noqa: E402
from optuna.trial import TrialState, create_trial  # noqa: E402

from paramedic.hpo.sampling import PenalizingSampler, is_ended, worst  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
STOP = {"decision": "stop", "shadow": False}
BEHIND = {"decision": "finished", "symptoms": ["behind"]}
TRIALS, FIRST = 22, 8


def toy(trial: optuna.Trial) -> float:
    """The best place lies at the border of a sick half-plane that looks good at first."""
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    value = (x - 0.45) ** 2 + (y - 0.5) ** 2
    if x > 0.5:
        trial.report(value / 2, 0)
        trial.set_user_attr("paramedic", STOP)
        raise optuna.TrialPruned
    return value


def sick_suggestions(sampler: BaseSampler) -> int:
    study = optuna.create_study(sampler=sampler)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(toy, n_trials=TRIALS)
    return sum(trial.params["x"] > 0.5 for trial in study.trials[FIRST:])


def test_gp_leaves_the_sick_region_when_it_is_told_of_it() -> None:
    plain = sick_suggestions(GPSampler(seed=0, n_startup_trials=FIRST))
    told = sick_suggestions(PenalizingSampler(GPSampler(seed=0, n_startup_trials=FIRST)))
    assert plain > 4
    assert told <= plain / 2


def frozen(value: float | None = None, **more: object) -> optuna.trial.FrozenTrial:
    return create_trial(value=value, **more)


def test_the_worst_is_the_worst_finite_value_of_the_study() -> None:
    trials = [
        frozen(1.0),
        frozen(3.0, intermediate_values={0: 5.0, 1: math.inf, 2: math.nan}),
    ]
    assert worst(trials, StudyDirection.MINIMIZE) == 5.0
    assert worst(trials, StudyDirection.MAXIMIZE) == 1.0
    assert worst([], StudyDirection.MINIMIZE) is None


@pytest.mark.parametrize(
    ("attributes", "state", "ended"),
    [
        ({"paramedic": STOP}, TrialState.PRUNED, True),
        ({"paramedic": {**STOP, "shadow": True}}, TrialState.PRUNED, False),
        ({"paramedic": {"decision": "continue"}}, TrialState.PRUNED, False),
        ({"paramedic": BEHIND}, TrialState.PRUNED, True),
        ({"paramedic": {**BEHIND, "symptoms": []}}, TrialState.PRUNED, False),
        ({}, TrialState.PRUNED, False),
    ],
)
def test_only_trials_that_a_verdict_ended_are_shown_otherwise(
    attributes: dict[str, object], state: TrialState, ended: bool
) -> None:
    assert is_ended(frozen(None, state=state, user_attrs=attributes)) is ended


def test_what_the_study_keeps_is_not_touched() -> None:
    study = optuna.create_study(sampler=PenalizingSampler(RandomSampler(seed=0)))
    study.optimize(toy, n_trials=10)
    sick = [trial for trial in study.trials if trial.params["x"] > 0.5]
    assert sick
    assert all(trial.state is TrialState.PRUNED for trial in sick)
    assert study.best_trial.params["x"] <= 0.5


def test_the_wrapped_sampler_sees_sick_trials_as_bad_and_slow_ones_as_they_were() -> None:
    seen: list[list[tuple[TrialState, float | None]]] = []

    class Curious(RandomSampler):
        def before_trial(self, study: optuna.Study, trial: optuna.trial.FrozenTrial) -> None:
            ended = (TrialState.COMPLETE, TrialState.PRUNED)
            seen.append([(one.state, one.value) for one in study.get_trials(states=ended)])
            assert len(study.trials) >= len(seen[-1])

    study = optuna.create_study(sampler=PenalizingSampler(Curious(seed=0)))
    study.add_trial(frozen(7.0))
    study.add_trial(frozen(None, state=TrialState.PRUNED, user_attrs={"paramedic": STOP}))
    study.add_trial(frozen(None, state=TrialState.PRUNED))
    slow = {"paramedic": BEHIND}
    values = {0: 6.0, 1: 4.0, 2: 5.0}
    study.add_trial(
        frozen(None, state=TrialState.PRUNED, user_attrs=slow, intermediate_values=values)
    )
    study.optimize(lambda trial: 1.0, n_trials=1)
    assert seen == [
        [
            (TrialState.COMPLETE, 7.0),
            (TrialState.COMPLETE, 7.0),
            (TrialState.PRUNED, None),
            (TrialState.COMPLETE, 4.0),
        ]
    ]
    assert "Curious" in str(study.sampler)
    study.sampler.reseed_rng()
