from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import paramedic
from paramedic.hpo.policy import detectors_of
from paramedic.hpo.recording import Goal, RecordedTrial, StudyFolder
from paramedic.hpo.timeline import Timeline, timeline, timelines
from paramedic.hpo.verdict import Visit
from tests.hpo.trainings import patient, train


def test_a_recorded_trial_is_visited_at_each_epoch_and_when_something_is_fatal(
    study: Path,
) -> None:
    found = timelines(StudyFolder(study))
    healthy, sick = found[0], found[1]
    assert [(visit.epoch, visit.between) for visit in healthy.visits] == [
        (epoch, False) for epoch in (1, 2, 3, 4)
    ]
    assert [visit.value for visit in healthy.visits] == list(healthy.bests)
    first = next(visit for visit in sick.visits if visit.findings)
    assert first.between
    assert first.epoch == 1
    assert 13 <= first.step <= 15
    assert first.findings[0].slug == "non-finite"
    assert 1.3 <= sick.clock(first) <= 1.7


def test_other_rules_see_other_things(study: Path) -> None:
    found = timelines(StudyFolder(study), "bttackler")
    slugs = {one.slug for visit in found[1].visits for one in visit.findings}
    assert "bttackler-abnormal-gradient-values" in slugs
    (chosen,) = {one.slug for v in timelines(StudyFolder(study), ["N001"])[1].visits
                 for one in v.findings}  # fmt: skip
    assert chosen == "non-finite"


def test_without_detectors_only_values_are_read(study: Path) -> None:
    assert all(not one.visits for one in timelines(StudyFolder(study), ()))


def test_bests_and_times() -> None:
    trial = Timeline(0, (3.0, 5.0, 2.0), (1.0, 2.0, 4.0), steps=(9, 19, 29))
    assert trial.bests == (3.0, 3.0, 2.0)
    assert trial.best == 2.0
    assert [trial.best_after(epochs) for epochs in range(5)] == [math.inf, 3.0, 3.0, 2.0, 2.0]
    assert trial.clock(Visit(2, 19)) == 2.0
    assert trial.clock(Visit(2, 24, between=True)) == 3.0
    assert trial.clock(Visit(0, 4, between=True)) == 0.5
    assert trial.clock(Visit(3, 40, between=True)) == 4.0


def test_a_replay_sees_the_same_losses_in_training_as_the_bedside(tmp_path: Path) -> None:
    model, optimizer = patient()
    seen, values = [], []
    path = tmp_path / "trial.db"
    with paramedic.watch(model, optimizer, trace=path) as monitor:
        for told in train(model, optimizer, 3):
            seen.append(told.pop("train_loss"))
            monitor.epoch(**told)
            values.append(told["val_loss"])
    trial = RecordedTrial(0, tuple(values), (1.0, 2.0, 3.0), trace=path)
    found = timeline(trial, Goal("val_loss", "minimize", 3), detectors_of())
    assert found.losses[0] == ()  # it is judged by that
    assert found.losses[1] == pytest.approx(np.minimum.accumulate(seen), rel=1e-5)
