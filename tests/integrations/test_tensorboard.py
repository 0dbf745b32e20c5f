from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integrations.runs import STEPS, watched

pytest.importorskip("tensorboard")
pytestmark = pytest.mark.filterwarnings("ignore")


def _read(folder: Path) -> Any:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), size_guidance={"tensors": 0, "histograms": 0})
    return events.Reload()


@pytest.mark.usefixtures("same_streams")
def test_scalars_histograms_and_findings(tmp_path: Path) -> None:
    from paramedic.integrations.tensorboard import TensorBoard

    monitor = watched(TensorBoard(tmp_path / "runs"))
    events = _read(tmp_path / "runs")
    losses = events.Scalars("paramedic/loss")
    assert [one.step for one in losses] == list(range(STEPS - 1))  # the last one is not finite
    assert losses[3].value == pytest.approx(monitor.window().pulse.loss[3])
    assert len(events.Scalars("paramedic/layers/grad_norm/2")) >= STEPS - 1
    assert events.Scalars("paramedic/epoch/val_loss")[0].value == 0.5
    drawn = events.Histograms("paramedic/weight/0")[0].histogram_value
    assert drawn.num == 6 * 8 + 8
    window = monitor.window()
    quartiles = [window.layer(f"weight_{name}")[0, 0] for name in ("q1", "median", "q3", "max")]
    assert list(drawn.bucket_limit) == pytest.approx(quartiles)
    texts = events.Tensors("paramedic/findings/text_summary")
    told = b"".join(one.tensor_proto.string_val[0] for one in texts)
    assert b"non-finite" in told or b"abnormal-data" in told


def test_a_writer_of_yours_stays_open(tmp_path: Path) -> None:
    from torch.utils.tensorboard import SummaryWriter

    from paramedic.integrations.tensorboard import TensorBoard

    mine = SummaryWriter(str(tmp_path))
    watched(TensorBoard(mine, histograms=False))
    mine.add_scalar("mine", 1.0, 0)
    mine.close()
    events = _read(tmp_path)
    assert "mine" in events.Tags()["scalars"]
    assert events.Tags()["histograms"] == []
