"""What can go wrong while a trace is written. The training must not notice; the user must."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from paramedic.trace import Trace, Writer, database, store
from paramedic.types import Chart, Epoch, Event, Frame

MakeFrame = Callable[..., Frame]


def _frames(path: Path) -> list[Frame]:
    with Trace.open(path) as trace:
        return list(trace.frames())


def _use_everything(writer: Writer, make_frame: MakeFrame) -> None:
    for step in range(1100):
        writer.frame(make_frame(step))
        writer.pulse(step, 1.0, True, False)
        writer.amend_loss(2.0, True)
    writer.chart(Chart())
    writer.meta("a", 1)
    writer.epoch(Epoch(0, 0, {}))
    writer.event(Event(0, "k", "m"))
    writer.flush()
    writer.close()


def _assert_failed_once(
    writer: Writer, caplog: pytest.LogCaptureFixture, words: str, make_frame: MakeFrame
) -> None:
    _use_everything(writer, make_frame)
    assert writer.failure is not None
    assert words in writer.failure
    assert str(writer.path) in writer.failure
    assert caplog.records[-1].getMessage() == writer.failure
    assert len(caplog.records) <= 2  # that it waits, and that it was in vain
    for record in caplog.records:
        assert (record.name, record.levelno) == ("paramedic", logging.WARNING)
    assert not writer._beats  # dropped, not collected
    assert not writer._frames
    assert not writer._backlog


def test_an_unwritable_place(
    tmp_path: Path, make_frame: MakeFrame, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    writer = Writer(tmp_path / "file" / "run.db")
    assert writer.failure is not None
    _assert_failed_once(writer, caplog, "name a directory that is writable", make_frame)


@pytest.mark.parametrize("kind", ["directory", "taken", "nul", "pipe"])
def test_an_impossible_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ("run\0.db" if kind == "nul" else "run.db")
    if kind == "directory":
        path.mkdir()
    elif kind == "taken":
        path.write_text("precious")
    elif kind == "pipe":  # or a device, such as /dev/null: an administrator could replace it
        os.mkfifo(path)
    assert Writer(path).failure is not None
    assert kind != "taken" or path.read_text() == "precious"
    assert kind != "pipe" or path.is_fifo()


def _limit_pages(writer: Writer, pages: int) -> None:
    assert writer._scribe is not None
    writer._scribe._recording._db.execute(f"PRAGMA max_page_count = {pages}")


def test_a_disk_that_stays_full(
    writer: Writer, make_frame: MakeFrame, caplog: pytest.LogCaptureFixture
) -> None:
    _limit_pages(writer, 30)
    _assert_failed_once(writer, caplog, "free some space", make_frame)
    frames = _frames(writer.path)
    assert 20 <= len(frames) < 1100
    assert [frame.step for frame in frames] == list(range(len(frames)))


def test_a_file_that_is_deleted(
    writer: Writer, make_frame: MakeFrame, caplog: pytest.LogCaptureFixture
) -> None:
    writer.path.unlink()
    _assert_failed_once(writer, caplog, "deleted or moved", make_frame)


def test_a_file_that_is_replaced(
    writer: Writer, make_frame: MakeFrame, caplog: pytest.LogCaptureFixture
) -> None:
    writer.path.rename(writer.path.with_name("moved.db"))
    other = Writer(writer.path)
    other.frame(make_frame(5))
    other.flush()
    _assert_failed_once(writer, caplog, "deleted or moved", make_frame)
    other.frame(make_frame(6))
    other.close()  # untouched by the one that lost its file
    assert [frame.step for frame in _frames(other.path)] == [5, 6]


def test_a_lock_that_stays(
    writer: Writer,
    make_frame: MakeFrame,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.01)
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.05)
    other = sqlite3.connect(writer.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    _assert_failed_once(writer, caplog, "keeps it locked", make_frame)
    other.close()


def test_a_loss_that_is_no_number(
    writer: Writer, make_frame: MakeFrame, caplog: pytest.LogCaptureFixture
) -> None:
    writer.pulse(0, "high", True, False)  # type: ignore[arg-type]
    _assert_failed_once(writer, caplog, "could not convert", make_frame)


def test_a_bad_frame_is_left_out_with_a_word_and_leaves_the_record_whole(
    writer: Writer, make_frame: MakeFrame, caplog: pytest.LogCaptureFixture
) -> None:
    writer.frame(make_frame(0))
    rows = {"a": np.zeros(2, np.float32), "b": np.zeros(3, np.float32)}
    writer.frame(Frame(1, "full", {}, rows))
    writer.frame(make_frame(2))
    writer.close()
    assert [frame.step for frame in _frames(writer.path)] == [0, 2]
    assert "The frame of step 1 is not recorded: `b` has shape" in caplog.text
    assert writer.failure is None


def test_the_real_end_of_a_disk(tmp_path: Path, run_python: Callable[..., str]) -> None:
    script = """
import resource, sys
import numpy as np
from paramedic.trace import Writer
from paramedic.types import Frame
writer = Writer(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
row = np.zeros(100, np.float32)
for step in range(2000):
    writer.frame(Frame(step, "full", {"loss": 1.0}, {"a": row}))
writer.close()
print(writer.failure)
"""
    path = tmp_path / "run.db"
    assert "cannot be written at present: the disk" in run_python(script, path)
    frames = _frames(path)
    assert 20 <= len(frames) < 2000
    assert [frame.step for frame in frames] == list(range(len(frames)))


def test_a_forked_child_writes_nothing(tmp_path: Path, run_python: Callable[..., str]) -> None:
    script = """
import os, signal, sys, threading
import numpy as np
from paramedic.trace import Writer
from paramedic.types import Epoch, Event, Frame
writer = Writer(sys.argv[1])
def write(step):
    writer.frame(Frame(step, "full", {"loss": 1.0}, {}))
    writer.pulse(step, 1.0, True, False)
for step in range(5):
    write(step)
locked, waited = threading.Event(), threading.Event()
def hold():
    with writer._lock, writer._scribe._gate, writer._backlog._lock:
        locked.set()
        waited.wait()
thread = threading.Thread(target=hold)
thread.start()
locked.wait()
if os.fork() == 0:
    signal.alarm(20)  # rather than waiting for ever for a lock that nobody holds here
    for step in range(1000, 3000):
        write(step)
    writer.frame(Frame(0, "full", {"a new kind": 1.0}, {}))
    writer.epoch(Epoch(0, 0, {}))
    writer.event(Event(0, "k", "m"))
    writer.flush()
    writer.close()
    assert writer.failure is None
    sys.exit(len(writer._frames) + len(writer._beats) + len(writer._backlog) > 600)
pid, status = os.wait()
waited.set()
thread.join()
for step in range(5, 30):
    write(step)
writer.close()
print(status, writer.failure)
"""
    path = tmp_path / "run.db"
    assert run_python(script, path).split() == ["0", "None"]
    with Trace.open(path) as trace:
        assert [frame.step for frame in trace.frames()] == list(range(30))
        assert trace.pulse().step.tolist() == list(range(30))
        assert trace.epochs == trace.events == ()


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is a thing of POSIX")
def test_kill_loses_at_most_the_open_batch(
    tmp_path: Path, python: Callable[..., object], make_frame: MakeFrame
) -> None:
    script = """
import sys, time
import numpy as np
from paramedic.trace import Writer
from paramedic.types import Frame
writer = Writer(sys.argv[1], max_age=1e9)
row = np.zeros(50, np.float32)
step = 0
while True:
    writer.frame(Frame(step, "full", {"loss": float(step)}, {"a": row}))
    writer.pulse(step, float(step), True, False)
    step += 1
    time.sleep(0.001)
    print(step, flush=True)
"""
    path = tmp_path / "run.db"
    process = python(script, path)
    while int(process.stdout.readline()) < 1500:
        pass
    process.kill()
    recorded = 1500 + len(process.communicate()[0].splitlines())
    # 32 collected, one in the making, and what the thread that writes has in its hands.
    assert len(_frames(path)) >= recorded - 33 - 100
    frames = _frames(path)
    assert [frame.scalars["loss"] for frame in frames] == list(range(len(frames)))
    with Trace.open(path) as trace:
        assert len(trace.pulse()) >= recorded - 34 - 100
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()
