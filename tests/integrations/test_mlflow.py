from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.runs import STEPS, watched

pytest.importorskip("mlflow")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    import mlflow

    # Files are enough here; MLflow itself would rather have a database.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    yield mlflow.MlflowClient()
    while mlflow.active_run() is not None:
        mlflow.end_run()
    mlflow.set_tracking_uri(None)


@pytest.mark.usefixtures("same_streams")
def test_metrics_tags_and_artifacts(tmp_path: Path, client: Any) -> None:
    import mlflow

    from paramedic.integrations.mlflow import MLflow

    (tmp_path / "run.html").write_text("<title>a report</title>")
    watched(MLflow("tests"), trace=tmp_path / "run.db")
    assert mlflow.active_run() is None
    experiment = client.get_experiment_by_name("tests")
    (run,) = client.search_runs([experiment.experiment_id])
    losses = client.get_metric_history(run.info.run_id, "paramedic/loss")
    assert [one.step for one in losses] == list(range(STEPS - 1))
    assert "paramedic/layers/grad_norm/0" in run.data.metrics
    assert run.data.metrics["paramedic/epoch/val_loss"] == 0.5
    assert run.data.tags["paramedic.verdict"] == "diverged"
    assert "paramedic.non-finite" in run.data.tags or "paramedic.abnormal-data" in run.data.tags
    files = {Path(one.path).name for one in client.list_artifacts(run.info.run_id, "paramedic")}
    assert files == {"findings.md", "run.db", "run.html"}


def test_a_run_of_yours_is_used_and_left_open(client: Any) -> None:
    import mlflow

    from paramedic.integrations.mlflow import MLflow

    mine = mlflow.start_run()
    watched(MLflow(artifacts=False, layers=()))
    assert mlflow.active_run().info.run_id == mine.info.run_id
    data = client.get_run(mine.info.run_id).data
    assert data.tags["paramedic.verdict"] == "diverged"
    assert not any("layers" in name for name in data.metrics)
