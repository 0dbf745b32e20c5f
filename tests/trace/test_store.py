from __future__ import annotations

import math
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from paramedic.trace import Trace, Writer
from paramedic.types import Chart, Epoch, Event, Frame

MakeFrame = Callable[..., Frame]
SameFrame = Callable[[Frame, Frame], bool]
Settled = Callable[[Writer], Path]


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


def test_a_commit_per_batch_that_keeps_the_newest(
    writer: Writer, make_frame: MakeFrame, settled: Settled
) -> None:
    for step in range(32):
        writer.frame(make_frame(step))
    assert _count(settled(writer)) == 0
    writer.frame(make_frame(32))
    assert _count(settled(writer)) == 32


def test_a_commit_when_the_last_is_too_old(
    tmp_path: Path, make_frame: MakeFrame, settled: Settled
) -> None:
    writer = Writer(tmp_path / "run.db", max_age=0.05)
    writer.frame(make_frame(0))
    writer.frame(make_frame(1))
    assert _count(settled(writer)) == 0
    time.sleep(0.06)
    writer.frame(make_frame(2))
    assert _count(settled(writer)) == 2
    writer.close()


def test_heartbeats_are_written_in_chunks(writer: Writer, settled: Settled) -> None:
    for step in range(1026):
        writer.pulse(step, 1.0, True, False)
    with Trace.open(settled(writer)) as trace:
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
