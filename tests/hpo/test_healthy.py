"""Healthy runs of the bank, judged as trials: none is stopped, with or without others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from paramedic.hpo.judge import Judge
from paramedic.hpo.policy import detectors_of, policy_of
from paramedic.hpo.recording import Goal, RecordedTrial
from paramedic.hpo.standing import Others, nobody, table
from paramedic.hpo.timeline import Timeline, timeline
from paramedic.hpo.verdict import LOSSES, Decision
from paramedic.trace.reader import Trace
from tests.diagnose.test_bank import HEALTHY, unpacked


def loss_of(values: Mapping[str, float]) -> float:
    """That of validation, or else that of training."""
    return next((values[name] for name in LOSSES if name in values), math.nan)


def as_trial(path: Path) -> Timeline:
    with Trace.open(path) as trace:
        values = tuple(loss_of(epoch.values) for epoch in trace.epochs)
    seconds = tuple(float(place + 1) for place in range(len(values)))
    goal = Goal("val_loss", "minimize", max(len(values), 1))
    trial = RecordedTrial(0, values, seconds, trace=path)
    return timeline(trial, goal, detectors_of(), policy_of().fatal)


@pytest.mark.parametrize("run", [pytest.param(run, id=run["name"]) for run in HEALTHY])
def test_a_healthy_run_is_not_stopped(run: dict[str, Any]) -> None:
    with unpacked(run["file"]) as path:
        trial = as_trial(path)
    judge = Judge(epochs=len(trial.values))
    # The others are such that this one is neither the best nor far behind.
    middling = [[1.05 * value for value in trial.values]] * 5
    middling += [[0.97 * value for value in trial.values]] * 5
    for place in range(1, len(trial.visits) + 1):
        for others in (nobody(), Others(table(middling, len(trial.values)))):
            visits = trial.visits[:place]
            verdict = judge.verdict(visits, lambda others=others: others)  # type: ignore[misc]
            assert verdict.decision is not Decision.STOP, verdict
    assert all(math.isfinite(value) for value in trial.bests[-1:])
