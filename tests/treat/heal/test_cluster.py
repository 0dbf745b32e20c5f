"""Legs that are trained on a Ray cluster."""

from __future__ import annotations

import importlib.util
import os
import warnings
from pathlib import Path

import pytest

from paramedic.treat.heal import cluster
from paramedic.treat.heal.attempt import Attempt, Watchfulness
from paramedic.treat.heal.healing import heal
from tests.treat.doubles import ADAM, HIGH, USELESS, slow_plan
from tests.treat.plans import plan

ROOT = Path(__file__).resolve().parents[3]
CALM = Watchfulness(serious=False)


def test_a_task_goes_on_where_the_attempt_was(tmp_path: Path) -> None:
    here = Attempt(0, plan(), folder=tmp_path / "here")
    here.advance(20, CALM)
    here.advance(40, CALM)
    there = Attempt(1, plan(), folder=tmp_path / "there")
    for until in (20, 40):
        assert there.folder is not None
        names = [name for name in cluster._CARRIED if (there.folder / name).is_file()]
        files = {name: (there.folder / name).read_bytes() for name in names}
        cluster._keep(there, cluster.trained(there.plan, files, until, CALM))
        there.advance(until, CALM)
    assert [leg.to_json() for leg in there.legs] == [leg.to_json() for leg in here.legs]
    traces = sorted(path.name for path in (tmp_path / "there").glob("*.db"))
    assert traces == ["trace-2.db", "trace.db"]


def test_results_meet_in_a_folder() -> None:
    with pytest.raises(ValueError, match="need `out`"):
        heal(plan(), ray=True)


@pytest.mark.skipif(
    importlib.util.find_spec("ray") is None or "PARAMEDIC_TEST_RAY" not in os.environ,
    reason="starts a Ray cluster, which takes a free machine: set PARAMEDIC_TEST_RAY=1",
)
def test_a_cluster_with_two_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # else it writes a token to the home folder
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    sick = slow_plan(remedies=[USELESS, HIGH, ADAM])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ray.init(
                num_cpus=2, include_dashboard=False, log_to_driver=False,
                runtime_env={"env_vars": {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}},
            )  # fmt: skip
            apart = heal(sick, ray=True, out=tmp_path / "ray").to_json()
        finally:
            ray.shutdown()
    here = heal(sick, out=tmp_path / "here").to_json()
    for name in ("status", "after", "cost", "log", "plan"):
        assert apart[name] == here[name], name
