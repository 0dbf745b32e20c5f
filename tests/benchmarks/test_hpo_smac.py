"""SMAC as a sampler: it goes on whatever became of the trials, and learns from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import mean

import pytest

pytest.importorskip("torch")
optuna = pytest.importorskip("optuna")
pytest.importorskip("smac")

from optuna.trial import TrialState  # noqa: E402
from smac.runhistory import StatusType  # noqa: E402

from benchmarks.hpo_parts.smac_sampler import SmacSampler  # noqa: E402
from benchmarks.hpo_parts.space import Between, OneOf, Space, suggest  # noqa: E402
from paramedic.hpo.optuna import DiagnosisPruner, watch  # noqa: E402
from paramedic.hpo.policy import Policy  # noqa: E402
from tests.hpo.trainings import nan_from, nothing, patient, train  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
SPACE: Space = {
    "rate": Between(0.01, 0.1, log=True),
    "width": Between(2, 9, whole=True),
    "sick": OneOf((True, False)),
}
INITIAL = 4
ALONE = Policy(chance=0.0)  # trials are not compared
Objective = Callable[[optuna.Trial], float]


def study_of(
    objective: Objective,
    trials: int,
    direction: str = "minimize",
    initial: int = INITIAL,
    seed: int = 1,
) -> optuna.Study:
    sampler = SmacSampler(SPACE, seed, initial)
    study = optuna.create_study(sampler=sampler, pruner=DiagnosisPruner(), direction=direction)
    study.optimize(objective, n_trials=trials, catch=(ArithmeticError,))
    return study


def seen(study: optuna.Study) -> list[tuple[float, StatusType]]:
    """What SMAC was told, by trial."""
    return [(one.cost, one.status) for one in study.sampler._smac.runhistory.values()]


def stopped_when_sick(trial: optuna.Trial) -> float:
    params = suggest(SPACE, trial)
    model, optimizer = patient(params["rate"])
    value = math.nan
    with watch(trial, model, optimizer, epochs=3, policy=ALONE) as monitor:
        spoil = nan_from(9) if params["sick"] else nothing
        for epoch, told in enumerate(train(model, optimizer, 3, spoil=spoil)):
            monitor.epoch(**told)
            value = told["val_loss"]
            trial.report(value, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
    return value


def test_a_study_whose_sick_trials_are_stopped_runs_through() -> None:
    study = study_of(stopped_when_sick, 3 * INITIAL)
    states = {one.params["sick"]: one.state for one in study.trials}
    assert states == {True: TrialState.PRUNED, False: TrialState.COMPLETE}
    for trial, (cost, status) in zip(study.trials, seen(study), strict=True):
        assert math.isfinite(cost)
        assert (status == StatusType.CRASHED) is trial.params["sick"]


ENDS: dict[str, tuple[Sequence[float], float | type[Exception]]] = {
    "NaN": ((), math.nan),
    "infinite": ((), math.inf),
    "pruned without a report": ((), optuna.TrialPruned),
    "pruned after NaN": ((math.nan,), optuna.TrialPruned),
    "failed": ((), ZeroDivisionError),
}


def ends(trial: optuna.Trial, reports: Sequence[float], end: float | type[Exception]) -> float:
    suggest(SPACE, trial)
    for step, value in enumerate(reports):
        trial.report(value, step)
    if isinstance(end, float):
        return end
    raise end


@pytest.mark.parametrize("how", ENDS)
def test_a_trial_without_any_value_waits_for_the_worst_of_the_others(how: str) -> None:
    def objective(trial: optuna.Trial) -> float:
        return ends(trial, *(((), 5.0) if trial.number == 2 else ENDS[how]))

    study = study_of(objective, INITIAL)
    told = [(5.0, StatusType.CRASHED)] * INITIAL
    told[2] = (5.0, StatusType.SUCCESS)
    assert seen(study) == told


@pytest.mark.parametrize("how", ENDS)
def test_a_study_without_any_value_goes_on(how: str) -> None:
    study = study_of(lambda trial: ends(trial, *ENDS[how]), 2 * INITIAL)
    assert len({str(one.params) for one in study.trials}) == 2 * INITIAL


def test_a_pruned_trial_is_told_with_its_last_finite_value() -> None:
    def objective(trial: optuna.Trial) -> float:
        return ends(trial, (0.1, 0.3, 0.2, math.nan), optuna.TrialPruned)

    told = seen(study_of(objective, 2, direction="maximize"))
    assert told == [(-0.2, StatusType.CRASHED)] * 2  # costs are to be small, accuracies large


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_it_learns_and_keeps_to_the_space(direction: str) -> None:
    def objective(trial: optuna.Trial) -> float:
        params = suggest(SPACE, trial)
        return abs(math.log10(params["rate"]) + 1.1) + params["width"] / 9 + params["sick"]

    # What SMAC suggests differs from process to process, whatever the seed: one may be unlucky.
    gains = []
    for seed in range(3):
        trials = study_of(objective, 34, direction, initial=10, seed=seed).trials
        for trial in trials:
            assert 0.01 <= trial.params["rate"] <= 0.1
            assert trial.params["width"] in range(2, 10)
            assert trial.params["sick"] in (True, False)
        gains.append(
            mean(one.value for one in trials[:10]) - mean(one.value for one in trials[-16:])
        )
    assert (mean(gains) if direction == "minimize" else -mean(gains)) > 0.3
