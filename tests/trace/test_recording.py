from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from paramedic.trace import Trace
from paramedic.trace.backlog import Batch
from paramedic.trace.recording import Recording
from paramedic.types import Frame

MakeFrame = Callable[..., Frame]


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recording(tmp_path / "run.db", 2**20)


def _batch(make_frame: MakeFrame, steps: range) -> Batch:
    beats = [(step, 1.0, True, False) for step in steps]
    return Batch([make_frame(step) for step in steps], beats, [])


def test_a_batch_that_fails_can_be_written_again(
    recording: Recording, make_frame: MakeFrame, tmp_path: Path
) -> None:
    packed = recording.pack(_batch(make_frame, range(5)))
    other = sqlite3.connect(tmp_path / "run.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        recording.write(packed)
    other.close()
    recording.write(packed)
    recording.write(recording.pack(_batch(make_frame, range(5, 9))))
    recording.finish()
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.steps.tolist() == list(range(9))
        assert len(trace.layouts) == 1


def test_many_heartbeats_are_several_rows(
    recording: Recording, make_frame: MakeFrame, tmp_path: Path
) -> None:
    recording.write(recording.pack(_batch(make_frame, range(1100))))
    recording.finish()
    with sqlite3.connect(tmp_path / "run.db") as db:
        sizes = [size for (size,) in db.execute("SELECT length(data) FROM pulses")]
    db.close()
    assert sizes == [512 * 17, 512 * 17, 76 * 17]


def test_a_file_in_its_place_is_left_alone(
    recording: Recording, make_frame: MakeFrame, tmp_path: Path
) -> None:
    (tmp_path / "run.db").rename(tmp_path / "moved.db")
    (tmp_path / "run.db").write_text("precious")
    with pytest.raises(FileNotFoundError, match="another file"):
        recording.write(recording.pack(_batch(make_frame, range(5))))
    recording.abandon()
    assert (tmp_path / "run.db").read_text() == "precious"
