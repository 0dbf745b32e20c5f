from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray.tune")

import ray
from ray import tune

from paramedic.hpo import raytune
from paramedic.hpo.raytune import DiagnosisStopper, watch
from tests.hpo.trainings import nan_from, nothing, patient, train

ROOT = Path(__file__).parents[2]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What would have been reported to Ray."""
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(raytune.tune, "report", told.append)
    return told


def test_a_healthy_trial_reports_what_it_is_given(sent: list[dict[str, Any]]) -> None:
    model, optimizer = patient()
    with watch(model, optimizer, metric="val_loss", mode="min") as monitor:
        for values in train(model, optimizer, 2):
            monitor.report(**values)
    assert len(sent) == 2
    assert all(not one["paramedic/ends"] for one in sent)
    assert sent[0]["val_loss"] > 0


@pytest.mark.parametrize(("mode", "sign"), [("min", 1), ("max", -1)])
def test_a_sick_trial_ends_with_a_bad_value(
    sent: list[dict[str, Any]], mode: str, sign: int
) -> None:
    model, optimizer = patient()
    with watch(model, optimizer, metric="val_loss", mode=mode) as monitor:
        for values in train(model, optimizer, 3, spoil=nan_from(13)):
            monitor.report(**values)
    assert len(sent) == 2  # one epoch, and the end in the middle of the second
    assert sent[-1]["paramedic/verdict"] == "stop: non-finite"
    assert sent[-1]["paramedic/ends"]
    assert sign * sent[-1]["val_loss"] > sign * sent[0]["val_loss"]


def test_the_penalty_can_be_given(sent: list[dict[str, Any]]) -> None:
    model, optimizer = patient()
    with watch(model, optimizer, metric="val_loss", mode="min", penalty=7.0):
        list(train(model, optimizer, 1, spoil=nan_from(0)))
    assert [one["val_loss"] for one in sent] == [7.0]


def test_other_errors_are_the_users(sent: list[dict[str, Any]]) -> None:
    model, optimizer = patient()
    with (
        pytest.raises(KeyError),
        watch(model, optimizer, metric="val_loss", mode="min"),
    ):
        raise KeyError("theirs")
    with pytest.raises(ValueError, match="'min', 'max'"):
        watch(model, optimizer, metric="val_loss", mode="minimize")


def test_the_stopper_only_reads() -> None:
    stopper = DiagnosisStopper()
    assert not stopper("a", {"val_loss": 1.0})
    assert not stopper("a", {"paramedic/ends": False})
    assert stopper("a", {"paramedic/ends": True, "paramedic/verdict": "stop: non-finite"})
    assert stopper.verdicts == {"a": "stop: non-finite"}
    assert not stopper.stop_all()


def training(config: dict[str, Any]) -> None:
    """Every second trial is sick; one worker is killed in its first attempt."""
    import torch

    torch.set_num_threads(1)
    marker = Path(config["folder"]) / "killed"
    model, optimizer = patient()
    spoil = nan_from(13) if config["number"] % 2 else nothing
    with watch(model, optimizer, metric="val_loss", mode="min") as monitor:
        for values in train(model, optimizer, 3, spoil=spoil):
            monitor.report(**values)
            if config["number"] == 2 and not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)


def start_cluster() -> None:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    try:
        ray.init(
            num_cpus=2, include_dashboard=False, log_to_driver=False,
            runtime_env={"env_vars": {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}},
        )  # fmt: skip
    except Exception as error:
        if "timed out during startup" not in str(error):
            raise
        pytest.skip("this machine is too busy: Ray gives itself 30 seconds to start")


@pytest.mark.skipif(
    "PARAMEDIC_TEST_RAY" not in os.environ,
    reason="starts a Ray cluster, which takes a free machine: set PARAMEDIC_TEST_RAY=1",
)
def test_a_cluster_with_two_workers_one_of_them_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # else it writes a token to the home folder
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            start_cluster()
            space = {"number": tune.grid_search(list(range(4))), "folder": str(tmp_path)}
            results = tune.Tuner(
                training,
                param_space=space,
                tune_config=tune.TuneConfig(metric="val_loss", mode="min"),
                run_config=tune.RunConfig(
                    stop=DiagnosisStopper(),
                    storage_path=str(tmp_path / "ray"),
                    failure_config=tune.FailureConfig(max_failures=1),
                    verbose=0,
                ),
            ).fit()
        finally:
            ray.shutdown()
    assert (tmp_path / "killed").exists()
    assert len(results) == 4
    assert results.num_errors == 0
    told = {one.config["number"]: one.metrics["paramedic/verdict"] for one in results}
    assert told == {0: "continue", 1: "stop: non-finite", 2: "continue", 3: "stop: non-finite"}
    assert results.get_best_result().config["number"] in (0, 2)
