"""Weights & Biases without a server: what would be sent is in a file."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.runs import STEPS, watched

pytest.importorskip("wandb")
pytestmark = pytest.mark.filterwarnings("ignore")


_BLOCK, _IDENTITY, _HEAD = 32768, 7, 7  # bytes of a file of W&B, which is a log of LevelDB


def _pieces(data: bytes) -> Iterator[bytes]:
    """The records of such a file: whole (1), or first, middle and last parts (2, 3, 4)."""
    place, whole = _IDENTITY, b""
    while place + _HEAD <= len(data):
        if _BLOCK - place % _BLOCK < _HEAD:  # too little left in this block
            place += _BLOCK - place % _BLOCK
            continue
        length, kind = struct.unpack_from("<HB", data, place + 4)
        whole += data[place + _HEAD : place + _HEAD + length]
        place += _HEAD + length
        if kind in (1, 4):
            yield whole
            whole = b""


def _records(folder: Path) -> Iterator[Any]:
    """What an offline run has written."""
    import wandb
    from wandb.proto import wandb_internal_pb2

    wandb.teardown()  # its own process writes the file, and ends now
    (file,) = folder.rglob("*.wandb")
    for piece in _pieces(file.read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(piece)
        yield record


def _history(records: list[Any]) -> list[dict[str, Any]]:
    rows = (record.history.item for record in records if record.HasField("history"))
    return [
        {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in row}
        for row in rows
    ]


@pytest.mark.usefixtures("same_streams")
def test_an_offline_run(tmp_path: Path) -> None:
    from paramedic.integrations.wandb import WandB

    page = tmp_path / "run.html"
    page.write_text("<title>a report</title>")
    watched(WandB("tests", mode="offline", dir=str(tmp_path)), trace=tmp_path / "run.db")
    records = list(_records(tmp_path))
    rows = _history(records)
    losses = [row["paramedic/step"] for row in rows if "paramedic/loss" in row]
    assert losses == list(range(STEPS - 1))
    assert any("paramedic/layers/grad_norm/0" in row for row in rows)
    assert any(row.get("paramedic/epoch/val_loss") == 0.5 for row in rows)
    alerts = [record.alert for record in records if record.HasField("alert")]
    assert alerts
    assert alerts[0].title.startswith("paramedic: ")
    text = "".join(map(str, records))
    assert "paramedic-report" in text
    assert "paramedic/verdict" in text


def test_a_run_of_yours_is_used_and_left_open(tmp_path: Path) -> None:
    import wandb

    from paramedic.integrations.wandb import WandB

    mine = wandb.init(mode="offline", project="mine", dir=str(tmp_path))
    watched(WandB(alerts=False))
    assert wandb.run is mine
    mine.log({"own": 1.0})
    mine.finish()
    records = list(_records(tmp_path))
    assert any("own" in row for row in _history(records))
    assert not any(record.HasField("alert") for record in records)
