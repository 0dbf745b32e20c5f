"""The other trials of a study: all of them, as they are now, each that has ended read once."""

from __future__ import annotations

import math
from typing import Any

import pytest

optuna = pytest.importorskip("optuna")

from optuna.trial import FrozenTrial, TrialState, create_trial  # noqa: E402

from paramedic.hpo import archive  # noqa: E402
from paramedic.hpo.archive import TOLD_LOSSES, others  # noqa: E402
from paramedic.hpo.sampling import KEY  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
OWN = 99  # of no trial that is there


def ended(*values: float, train_loss: list[float | None] | None = None) -> FrozenTrial:
    told = {} if train_loss is None else {KEY: {TOLD_LOSSES: {"train_loss": train_loss}}}
    return create_trial(value=1.0, intermediate_values=dict(enumerate(values)), user_attrs=told)


def study_of(*trials: FrozenTrial, direction: str = "minimize") -> optuna.Study:
    study = optuna.create_study(direction=direction)
    study.add_trials(trials)
    return study


def test_a_trial_that_ended_earlier_keeps_its_last_value() -> None:
    found = others(study_of(ended(3.0, 2.0, 4.0), ended(5.0)), OWN)
    assert found.values.tolist() == [[3.0, 2.0, 2.0], [5.0, 5.0, 5.0]]


def test_what_is_maximized_changes_its_sign() -> None:
    found = others(study_of(ended(0.1, 0.3), direction="maximize"), OWN)
    assert found.values.tolist() == [[-0.1, -0.3]]


def test_losses_of_those_who_told_them() -> None:
    told = ended(1.0, 1.0, train_loss=[2.0, None])
    validation, training = others(study_of(ended(4.0, 4.0), told), OWN).losses
    assert len(validation) == 0
    assert training.tolist() == [[2.0, 2.0]]


def test_tables_are_as_wide_as_planned() -> None:
    assert others(study_of(ended(3.0)), OWN, planned=4).values.tolist() == [[3.0] * 4]
    assert others(study_of(), OWN, planned=4).values.shape == (0, 4)


def test_who_reported_nothing_is_not_there() -> None:
    pruned = create_trial(state=TrialState.PRUNED)
    assert others(study_of(pruned, ended(3.0)), OWN).values.tolist() == [[3.0]]


def test_running_trials_are_read_anew_and_oneself_is_left_out() -> None:
    study = study_of(ended(3.0))
    own, running = study.ask(), study.ask()
    own.report(9.0, 0)
    running.report(2.0, 0)
    assert others(study, own.number).values.tolist() == [[3.0], [2.0]]
    running.report(1.0, 1)
    assert others(study, own.number).values.tolist() == [[3.0, 3.0], [2.0, 1.0]]
    study.tell(running, 1.0)
    assert others(study, own.number).values.tolist() == [[3.0, 3.0], [2.0, 1.0]]


def test_longer_trials_widen_what_was_read_before() -> None:
    study = study_of(ended(3.0, train_loss=[7.0]))
    assert others(study, OWN).values.shape == (1, 1)
    study.add_trial(ended(math.nan, 2.0, train_loss=[6.0, 5.0]))
    found = others(study, OWN)
    assert found.values.tolist() == [[3.0, 3.0], [math.inf, 2.0]]
    assert found.losses[1].tolist() == [[7.0, 7.0], [6.0, 5.0]]


def test_those_that_have_ended_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    original = archive._losses

    def spied(trial: FrozenTrial) -> Any:
        read.append(trial.number)
        return original(trial)

    monkeypatch.setattr(archive, "_losses", spied)
    study = study_of(*(ended(float(number)) for number in range(5)))
    for _ in range(3):
        assert len(others(study, OWN).values) == 5
    study.add_trial(ended(5.0))
    assert len(others(study, OWN).values) == 6
    assert read == [0, 1, 2, 3, 4, 5]


def test_studies_are_not_mixed_up() -> None:
    one, two = study_of(ended(1.0)), study_of(ended(2.0), ended(3.0))
    assert len(others(one, OWN).values) == 1
    assert len(others(two, OWN).values) == 2
    assert others(one, OWN).values.tolist() == [[1.0]]
