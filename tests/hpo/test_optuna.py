from __future__ import annotations

import logging
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

optuna = pytest.importorskip("optuna")

from optuna.pruners import MedianPruner, NopPruner  # noqa: E402
from optuna.samplers import BaseSampler, RandomSampler, TPESampler  # noqa: E402
from optuna.storages import JournalStorage  # noqa: E402
from optuna.storages.journal import JournalFileBackend  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

from paramedic.hpo.optuna import DiagnosisPruner, PenalizingSampler, summary, watch  # noqa: E402
from paramedic.hpo.policy import Policy  # noqa: E402
from paramedic.hpo.standing import lowest  # noqa: E402
from tests.hpo.trainings import nan_from, nothing, patient, train  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
ROOT = Path(__file__).parents[2]
ALONE = Policy(chance=0.0)  # trials are not compared


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def objective(trial: optuna.Trial, **settings: object) -> float:
    """Half of the trials become NaN in the second epoch."""
    rate = trial.suggest_float("rate", 0.01, 0.1)
    sick = trial.suggest_float("sickness", 0.0, 1.0) > 0.5
    model, optimizer = patient(rate)
    spoil = nan_from(13) if sick else nothing
    value = math.nan
    settings = {"policy": ALONE, "epochs": 4, **settings}
    with watch(trial, model, optimizer, **settings) as monitor:  # type: ignore[arg-type]
        for epoch, told in enumerate(train(model, optimizer, 4, spoil=spoil)):
            monitor.epoch(**told)
            value = told["val_loss"]
            trial.report(value, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
            if monitor.finished:
                break
    return value


def study_of(sampler: BaseSampler | None = None, **more: object) -> optuna.Study:
    more.setdefault("pruner", DiagnosisPruner())
    return optuna.create_study(sampler=sampler or RandomSampler(seed=1), **more)


def check(study: optuna.Study, trials: int) -> None:
    """Every trial has one verdict, and the sick ones, and only these, were stopped."""
    assert len(study.trials) == trials
    for trial in study.trials:
        sick = trial.params["sickness"] > 0.5
        verdict = trial.user_attrs["paramedic"]
        assert trial.state is (TrialState.PRUNED if sick else TrialState.COMPLETE)
        assert verdict["decision"] == ("stop" if sick else "continue")
        assert trial.value is not None
        assert math.isfinite(trial.value)
        if sick:
            assert verdict["cause"] == "non-finite"
            assert "non-finite" in trial.user_attrs["diagnosis"]


@pytest.mark.parametrize("kind", ["memory", "sqlite", "journal"])
def test_verdicts_live_in_every_storage(kind: str, tmp_path: Path) -> None:
    storages: dict[str, Callable[[], object]] = {
        "memory": lambda: None,
        "sqlite": lambda: f"sqlite:///{tmp_path / 'study.db'}",
        "journal": lambda: JournalStorage(JournalFileBackend(str(tmp_path / "study.log"))),
    }
    study = study_of(storage=storages[kind]())
    study.optimize(objective, n_trials=6)
    check(study, 6)
    assert {trial.state for trial in study.trials} == {TrialState.PRUNED, TrialState.COMPLETE}


def test_threads_do_not_mix_up_their_trials() -> None:
    study = study_of()
    study.optimize(objective, n_trials=8, n_jobs=3)
    check(study, 8)


@pytest.mark.parametrize("first", [0, 13, 333])
def test_a_nan_ends_the_trial_within_one_step(first: int) -> None:
    """Early steps are all looked at, late ones hardly ever."""
    steps = 0

    def count(*_: object) -> None:
        nonlocal steps
        steps += 1

    def one(trial: optuna.Trial) -> float:
        model, optimizer = patient()
        optimizer.register_step_post_hook(count)
        with watch(trial, model, optimizer) as monitor:
            for told in train(model, optimizer, 3, 200, spoil=nan_from(first)):
                monitor.epoch(**told)
        return 0.0

    study = study_of()
    study.optimize(one, n_trials=1)
    assert study.trials[0].state is TrialState.PRUNED
    assert steps <= first + 2  # the step that is NaN, and at most one more


def test_without_interrupting_the_trial_ends_with_its_epoch() -> None:
    study = study_of()
    study.optimize(lambda trial: objective(trial, interrupt=False), n_trials=4)
    sick = [trial for trial in study.trials if trial.params["sickness"] > 0.5]
    assert sick
    assert all(trial.user_attrs["paramedic"]["epoch"] == 2 for trial in sick)
    check(study, 4)


def test_the_first_trial_leaves_a_finite_value_even_if_nothing_was_ever_finite() -> None:
    def one(trial: optuna.Trial) -> float:
        model, optimizer = patient()
        with watch(trial, model, optimizer) as monitor:
            for told in train(model, optimizer, 1, spoil=nan_from(0)):
                monitor.epoch(**told)
        return 0.0

    for direction, sign in (("minimize", 1), ("maximize", -1)):
        study = study_of(direction=direction)
        study.optimize(one, n_trials=1)
        assert study.trials[0].value == sign * 1e3


def test_a_shadow_changes_nothing_and_tells_what_it_would_have_done() -> None:
    study = study_of()
    study.optimize(lambda trial: objective(trial, shadow=True), n_trials=6)
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE, TrialState.FAIL}
    told = summary(study)
    sick = sum(trial.params["sickness"] > 0.5 for trial in study.trials)
    assert told.shadow
    assert told.stopped == {"non-finite": sick}
    assert told.lost == ()
    assert "would have been stopped" in str(told)


def test_the_wrapped_pruner_is_asked_about_the_others() -> None:
    asked = []

    class Remembers(NopPruner):
        def prune(self, study: optuna.Study, trial: optuna.trial.FrozenTrial) -> bool:
            asked.append(trial.number)
            return trial.number == 0

    study = study_of(pruner=DiagnosisPruner(Remembers()))
    study.optimize(objective, n_trials=4)
    assert asked
    assert study.trials[0].state is TrialState.PRUNED
    assert DiagnosisPruner(MedianPruner()).wrapped is not None


def test_finished_trials_keep_their_value() -> None:
    def one(trial: optuna.Trial) -> float:
        model, optimizer = patient()
        with watch(trial, model, optimizer, rules=["L006"], epochs=40) as monitor:
            for epoch, told in enumerate(train(model, optimizer, 40, steps=2)):
                told["val_loss"] = max(told["val_loss"], 0.3)
                monitor.epoch(**told)
                trial.report(told["val_loss"], epoch)
                assert not trial.should_prune()
                if monitor.finished:
                    break
        return told["val_loss"]

    study = study_of()
    study.optimize(one, n_trials=1)
    trial = study.best_trial
    assert trial.user_attrs["paramedic"]["decision"] == "finished"
    assert len(trial.intermediate_values) < 40
    told = summary(study)
    assert told.finished == 1
    assert told.saved > 0


def test_peers_are_the_other_trials_at_the_same_age() -> None:
    study = study_of(direction="maximize")
    for values in ([0.1, 0.3], [0.5], [0.2, math.nan]):
        levels = dict(enumerate(values))
        study.add_trial(optuna.trial.create_trial(value=0.5, intermediate_values=levels))
    trial = study.ask()
    model, optimizer = patient()
    with watch(trial, model, optimizer) as monitor:
        others = monitor._others()
    assert others.values.tolist() == [[-0.1, -0.3], [-0.5, -0.5], [-0.2, -0.2]]
    assert all(one.size == 0 for one in others.losses)  # nobody watched them


def test_peers_tell_their_losses_too() -> None:
    study = study_of()
    study.optimize(objective, n_trials=2)
    trial = study.ask()
    model, optimizer = patient()
    with watch(trial, model, optimizer) as monitor:
        validation, training = monitor._others().losses
    assert len(validation) == 0  # that is what the trials are judged by
    assert len(training) == 2
    told = study.trials[0].user_attrs["paramedic"]["losses"]["train_loss"]
    assert training[0, : len(told)].tolist() == list(lowest(told))


def test_a_pruner_that_does_not_read_diagnoses_is_told_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    study = study_of(pruner=MedianPruner())
    with caplog.at_level(logging.WARNING, "paramedic"):
        study.optimize(objective, n_trials=2)
    told = [one.message for one in caplog.records if "DiagnosisPruner" in one.message]
    assert len(told) == 1
    assert "MedianPruner" in told[0]


def test_samplers_that_pass_over_pruned_trials_are_wrapped() -> None:
    pytest.importorskip("cmaes")
    kinds = {"auto": (True, False), "penalize": (True, True), "prune": (False, False)}
    for on_sick, expected in kinds.items():
        samplers = (optuna.samplers.CmaEsSampler(seed=1), TPESampler(seed=1))
        for sampler, wrapped in zip(samplers, expected, strict=True):
            study = study_of(sampler)
            study.optimize(lambda t, s=on_sick: objective(t, on_sick=s), n_trials=4)
            assert isinstance(study.sampler, PenalizingSampler) is wrapped
            check(study, 4)


def test_switched_off_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAMEDIC", "off")
    study = study_of()
    study.optimize(objective, n_trials=2)
    assert all(t.user_attrs["paramedic"]["decision"] == "continue" for t in study.trials)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"on_sick": "prnue"}, "Did you mean 'prune'"),
        ({"rules": "asha"}, "list of codes"),
        ({"metric": "f1"}, "`epoch` was given train_loss"),
        ({"warm_up": -1}, "`warm_up` must be a whole number"),
    ],
)
def test_wrong_settings_are_told_at_once(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        study_of().optimize(lambda trial: objective(trial, policy=None, **settings), n_trials=1)


def test_several_objectives_are_refused() -> None:
    study = optuna.create_study(directions=["minimize", "maximize"])
    model, optimizer = patient()
    with pytest.raises(ValueError, match="several objectives"):
        watch(study.ask(), model, optimizer)
    with pytest.raises(TypeError, match="must be a pruner"):
        DiagnosisPruner("median")  # type: ignore[arg-type]


def test_a_policy_of_ones_own() -> None:
    study = study_of()
    never = Policy(fatal=(), persistence=99, symptoms=9, patience=0.0)
    study.optimize(lambda trial: objective(trial, policy=never), n_trials=4)
    assert TrialState.PRUNED not in {trial.state for trial in study.trials}


WORKER = """
import sys
import optuna, torch
from tests.hpo.test_optuna import DiagnosisPruner, objective
torch.set_num_threads(1)
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.load_study(
    study_name="s", storage=sys.argv[1], pruner=DiagnosisPruner(),
    sampler=optuna.samplers.RandomSampler(seed=int(sys.argv[2])),
)
study.optimize(objective, n_trials=4)
"""


def test_two_processes_share_one_storage(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    study = optuna.create_study(study_name="s", storage=storage)
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER, storage, str(seed)], env=environment)
        for seed in (1, 2)
    ]
    assert [worker.wait(timeout=400) for worker in workers] == [0, 0]
    check(study, 8)
    assert sorted(trial.number for trial in study.trials) == list(range(8))
