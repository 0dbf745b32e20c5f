from __future__ import annotations

from pathlib import Path

import pytest

from tests.integrations.runs import STEPS, watched

pytest.importorskip("trackio")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.usefixtures("same_streams")
def test_metrics_and_alerts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import trackio
    from trackio.sqlite_storage import SQLiteStorage

    from paramedic.integrations.trackio import Trackio

    for module in ("trackio.utils", "trackio.sqlite_storage"):
        monkeypatch.setattr(f"{module}.TRACKIO_DIR", tmp_path / "trackio", raising=False)
    watched(Trackio("tests", name="mine"))
    assert trackio.context_vars.current_run.get() is None
    logs = SQLiteStorage.get_logs("tests", "mine")
    losses = {row["step"]: row["paramedic/loss"] for row in logs if "paramedic/loss" in row}
    assert sorted(losses) == list(range(STEPS - 1))
    assert any("paramedic/layers/grad_norm/0" in row for row in logs)
    assert any(row.get("paramedic/epoch/val_loss") == 0.5 for row in logs)
    assert any(row.get("paramedic/verdict") == "diverged" for row in logs)
    alerts = SQLiteStorage.get_alerts("tests")
    assert alerts
    assert alerts[0]["title"].startswith("paramedic: ")
