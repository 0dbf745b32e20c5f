from __future__ import annotations

import logging
import math
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from paramedic.trace import Trace, Writer, database
from paramedic.types import Chart, Epoch, Event, Frame

MakeFrame = Callable[..., Frame]
SameFrame = Callable[[Frame, Frame], bool]


def _frames(path: Path) -> list[Frame]:
    with Trace.open(path) as trace:
        return list(trace.frames())


def _count(path: Path) -> int:
    with Trace.open(path) as trace:
        return len(trace)


def test_a_reader_can_open_it_at_once(writer: Writer) -> None:
    assert _count(writer.path) == 0


def test_everything_comes_back(
    writer: Writer, make_frame: MakeFrame, chart: Chart, same_frame: SameFrame
) -> None:
    frames = [
        make_frame(0),
        make_frame(1, "full", ("act_mean", "grad_norm"), lr=0.1),
        make_frame(2, width=5),
        make_frame(3, loss=math.nan),
        Frame(4, "vitals", {}, {}),
    ]
    writer.chart(chart)
    for frame in frames:
        writer.frame(frame)
        writer.pulse(frame.step, frame.step / 2, frame.step != 3, frame.step == 2)
    writer.epoch(Epoch(0, 4, {"val_loss": 0.5}))
    writer.event(Event(3, "nan", "born in `a`", {"where": ["a"]}))
    writer.meta("note", {"x": [1, None]})
    writer.close()
    with Trace.open(writer.path) as trace:
        assert all(map(same_frame, trace.frames(), frames))
        assert len(trace) == len(frames)
        assert trace.chart == chart
        assert trace.epochs == (Epoch(0, 4, {"val_loss": 0.5}),)
        assert trace.events == (Event(3, "nan", "born in `a`", {"where": ["a"]}),)
        assert trace.meta("note") == {"x": [1, None]}
        pulse = trace.pulse()
    assert pulse.loss.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert pulse.finite.tolist() == [True, True, True, False, True]
    assert pulse.skipped.tolist() == [False, False, True, False, False]
    assert writer.failure is None


def test_a_second_chart_takes_the_place_of_the_first(writer: Writer, chart: Chart) -> None:
    writer.chart(Chart())
    writer.chart(chart)
    with Trace.open(writer.path) as trace:
        assert trace.chart == chart


def test_values_of_other_libraries_are_understood(writer: Writer) -> None:
    writer.pulse(np.int64(1), np.float32(0.5), np.bool_(True), np.bool_(False))
    writer.frame(Frame(np.int64(1), "full", {"loss": np.float32(0.5)}, {}))
    writer.epoch(Epoch(np.int64(0), np.int64(1), {"loss": np.float32(0.5)}))
    writer.event(Event(1, "k", "m", {"where": Path("a"), "n": np.int64(3)}))
    writer.close()
    assert writer.failure is None
    with Trace.open(writer.path) as trace:
        assert trace.epochs == (Epoch(0, 1, {"loss": 0.5}),)
        assert trace.events[0].data == {"where": "a", "n": 3}
        assert next(trace.frames()).scalars == {"loss": 0.5}


def test_a_commit_per_batch_that_keeps_the_newest(writer: Writer, make_frame: MakeFrame) -> None:
    for step in range(20):
        writer.frame(make_frame(step))
    assert _count(writer.path) == 0
    writer.frame(make_frame(20))
    assert _count(writer.path) == 20


def test_a_commit_when_the_last_is_too_old(tmp_path: Path, make_frame: MakeFrame) -> None:
    writer = Writer(tmp_path / "run.db", max_age=0.05)
    writer.frame(make_frame(0))
    writer.frame(make_frame(1))
    assert _count(writer.path) == 0
    time.sleep(0.06)
    writer.frame(make_frame(2))
    assert _count(writer.path) == 2
    writer.close()


def test_heartbeats_are_written_in_chunks(writer: Writer) -> None:
    for step in range(1026):
        writer.pulse(step, 1.0, True, False)
    with Trace.open(writer.path) as trace:
        assert trace.pulse().step.tolist() == list(range(1024))
    writer.close()
    db = sqlite3.connect(writer.path)
    assert db.execute("SELECT count(*) FROM pulses").fetchone() == (3,)
    db.close()
    with Trace.open(writer.path) as trace:
        assert trace.pulse().step.tolist() == list(range(1026))


def test_an_event_is_committed_at_once_with_what_came_before(
    writer: Writer, make_frame: MakeFrame
) -> None:
    for step in range(3):
        writer.frame(make_frame(step))
        writer.pulse(step, 1.0, True, False)
    writer.event(Event(2, "nan", "now"))
    with Trace.open(writer.path) as trace:
        assert len(trace.events) == 1
        assert len(trace) == len(trace.pulse()) == 2  # the newest can still be amended


def test_an_epoch_is_committed_at_once_with_everything(
    writer: Writer, make_frame: MakeFrame
) -> None:
    writer.frame(make_frame(0))
    writer.pulse(0, 1.0, True, False)
    writer.epoch(Epoch(0, 0, {}))
    with Trace.open(writer.path) as trace:
        assert len(trace.epochs) == len(trace) == len(trace.pulse()) == 1


def test_flush_writes_everything(writer: Writer, make_frame: MakeFrame) -> None:
    writer.frame(make_frame(0))
    writer.flush()
    assert _count(writer.path) == 1


@pytest.mark.parametrize("count", [1, 5, 21, 41, 513])
def test_the_newest_loss_can_be_amended(tmp_path: Path, make_frame: MakeFrame, count: int) -> None:
    writer = Writer(tmp_path / "run.db", max_age=1e9)
    for step in range(count):
        writer.frame(make_frame(step))
        writer.pulse(step, math.nan, True, step == 3)
        writer.amend_loss(100.0 + step, step % 2 == 0)
    writer.close()
    with Trace.open(writer.path) as trace:
        frames, pulse = list(trace.frames()), trace.pulse()
    expected = [100.0 + step for step in range(count)]
    assert [frame.scalars["loss"] for frame in frames] == pulse.loss.tolist() == expected
    assert pulse.finite.tolist() == [step % 2 == 0 for step in range(count)]
    assert [frame.scalars["loss_finite"] == 1.0 for frame in frames] == pulse.finite.tolist()
    assert pulse.skipped.tolist() == [step == 3 for step in range(count)]


def test_the_frame_of_another_step_is_not_amended(writer: Writer, make_frame: MakeFrame) -> None:
    writer.frame(make_frame(0, loss=5.0))
    writer.pulse(0, 5.0, True, False)
    writer.pulse(1, math.nan, True, False)
    writer.amend_loss(7.0, True)
    writer.close()
    assert _frames(writer.path)[0].scalars["loss"] == 5.0
    with Trace.open(writer.path) as trace:
        assert trace.pulse().loss.tolist() == [5.0, 7.0]


def test_heartbeats_alone_can_be_amended(writer: Writer) -> None:
    for step in range(1100):
        writer.pulse(step, math.nan, True, False)
        writer.amend_loss(float(step), True)
    writer.close()
    with Trace.open(writer.path) as trace:
        assert trace.pulse().loss.tolist() == list(range(1100))


def test_there_may_be_nothing_to_amend(writer: Writer) -> None:
    writer.amend_loss(1.0, True)
    writer.pulse(0, 2.0, True, False)
    writer.flush()
    writer.amend_loss(3.0, True)
    writer.close()
    with Trace.open(writer.path) as trace:
        assert trace.pulse().loss.tolist() == [2.0]


def test_an_array_that_is_used_again_does_not_change_the_record(writer: Writer) -> None:
    row = np.zeros(3, np.float32)
    writer.frame(Frame(0, "full", {}, {"a": row}))
    row[:] = 9
    writer.close()
    assert _frames(writer.path)[0].layers["a"].tolist() == [0, 0, 0]


def test_closing_twice_and_writing_afterwards_does_nothing(
    writer: Writer, make_frame: MakeFrame
) -> None:
    writer.frame(make_frame(0))
    writer.close()
    writer.close()
    for step in range(2000):
        writer.frame(make_frame(step))
        writer.pulse(step, 1.0, True, False)
    writer.epoch(Epoch(0, 0, {}))
    writer.flush()
    assert writer.failure is None
    assert _count(writer.path) == 1


@pytest.fixture
def restless_threads() -> Iterator[None]:
    """The interpreter changes threads as often as it can, to show races."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("restless_threads")
def test_threads_may_write_together(tmp_path: Path, make_frame: MakeFrame) -> None:
    writer = Writer(tmp_path / "run.db", batch=3, max_age=0.0)

    def work(offset: int) -> None:
        for step in range(offset, offset + 200):
            together.wait()  # so that each new kind of frame is new to all of them
            writer.frame(make_frame(step, width=1 + step % 100))
            writer.pulse(step, 1.0, True, False)

    together = threading.Barrier(4)

    threads = [threading.Thread(target=work, args=(1000 * index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert writer.failure is None
    expected = sorted(
        step for index in range(4) for step in range(1000 * index, 1000 * index + 200)
    )
    with Trace.open(writer.path) as trace:
        assert [frame.step for frame in trace.frames()] == expected
        assert sorted(trace.pulse().step.tolist()) == expected


def test_the_directory_of_the_process_may_change(
    tmp_path: Path, make_frame: MakeFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    writer = Writer("run.db")
    monkeypatch.chdir(tmp_path / "elsewhere")
    writer.frame(make_frame(0))
    writer.close()
    assert writer.failure is None
    assert _count(tmp_path / "run.db") == 1


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("batch", 0, "`batch` must be at least 1"),
        ("size_limit", 0, "`size_limit` must be positive"),
    ],
)
def test_impossible_settings_fail_at_once(
    tmp_path: Path, name: str, value: int, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        Writer(tmp_path / "run.db", **{name: value})


# What can go wrong with the disk. The training must not notice; the user must.


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
    assert [record.getMessage() for record in caplog.records] == [writer.failure]
    assert caplog.records[0].name == "paramedic"
    assert caplog.records[0].levelno == logging.WARNING
    assert not writer._beats  # dropped, not collected
    assert not writer._frames


def test_an_unwritable_place(
    tmp_path: Path, make_frame: MakeFrame, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    writer = Writer(tmp_path / "file" / "run.db")
    assert writer.failure is not None
    _assert_failed_once(writer, caplog, "name a directory that is writable", make_frame)


@pytest.mark.parametrize("kind", ["directory", "taken", "nul"])
def test_an_impossible_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ("run\0.db" if kind == "nul" else "run.db")
    if kind == "directory":
        path.mkdir()
    elif kind == "taken":
        path.write_text("precious")
    assert Writer(path).failure is not None
    assert kind != "taken" or path.read_text() == "precious"


def test_a_full_disk(
    writer: Writer, make_frame: MakeFrame, caplog: pytest.LogCaptureFixture
) -> None:
    assert writer._db is not None
    writer._db.execute("PRAGMA max_page_count = 30")
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
    tmp_path: Path,
    make_frame: MakeFrame,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.05)
    writer = Writer(tmp_path / "run.db")
    other = sqlite3.connect(writer.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    _assert_failed_once(writer, caplog, "keeps it locked", make_frame)
    other.close()


def test_a_lock_that_passes(writer: Writer, make_frame: MakeFrame) -> None:
    other = sqlite3.connect(writer.path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.close)
    release.start()
    writer.frame(make_frame(0))
    writer.flush()
    release.join()
    assert writer.failure is None
    assert _count(writer.path) == 1


def test_a_loss_that_is_no_number(
    writer: Writer, make_frame: MakeFrame, caplog: pytest.LogCaptureFixture
) -> None:
    writer.pulse(0, "high", True, False)  # type: ignore[arg-type]
    _assert_failed_once(writer, caplog, "could not convert", make_frame)


def test_a_bad_frame_is_the_callers_error_and_leaves_the_record_whole(
    writer: Writer, make_frame: MakeFrame
) -> None:
    writer.frame(make_frame(0))
    rows = {"a": np.zeros(2, np.float32), "b": np.zeros(3, np.float32)}
    with pytest.raises(ValueError, match="`b` has shape"):
        writer.frame(Frame(1, "full", {}, rows))
    writer.close()
    assert [frame.step for frame in _frames(writer.path)] == [0]


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
    assert "is not recorded any further: the disk" in run_python(script, path)
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
    with writer._lock:
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
    sys.exit(len(writer._frames) + len(writer._beats) > 600)
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
import sys
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
    print(step, flush=True)
"""
    path = tmp_path / "run.db"
    process = python(script, path)
    while int(process.stdout.readline()) < 1500:
        pass
    process.kill()
    recorded = 1500 + len(process.communicate()[0].splitlines())
    assert _count(path) >= recorded - 21  # 20 collected, one in the making
    frames = _frames(path)
    assert [frame.scalars["loss"] for frame in frames] == list(range(len(frames)))
    with Trace.open(path) as trace:
        assert len(trace.pulse()) >= recorded - 22
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()
