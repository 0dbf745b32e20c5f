from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paramedic.trace import Trace, TraceError, Writer
from paramedic.types import Chart, Epoch, Event, Frame

MakeFrame = Callable[..., Frame]


@pytest.fixture
def trace(writer: Writer, make_frame: MakeFrame, chart: Chart) -> Trace:
    """Frames at 0, 10 … 990, heartbeats at 0 … 999, an epoch and an event every 100 steps."""
    writer.chart(chart)
    for step in range(1000):
        if step % 10 == 0:
            writer.frame(make_frame(step, "full" if step % 50 == 0 else "vitals"))
        writer.pulse(step, float(step), True, False)
        if step % 100 == 99:
            writer.epoch(Epoch(step // 100, step, {"val_loss": 1.0}))
            writer.event(Event(step, "k", "m"))
    writer.close()
    with Trace.open(writer.path) as trace:
        yield trace


def test_it_knows_how_long_it_is(trace: Trace) -> None:
    assert len(trace) == 100
    assert trace.steps.tolist() == list(range(0, 1000, 10))
    assert trace.last_step == 999


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [
        (None, None, range(0, 1000, 10)),
        (500, None, range(500, 1000, 10)),
        (None, 500, range(0, 500, 10)),
        (495, 520, range(500, 520, 10)),
        (10**30, None, range(0)),
        (-(10**30), 10**30, range(0, 1000, 10)),
        (700, 600, range(0)),
    ],
)
def test_frames_of_a_range(
    trace: Trace, start: int | None, stop: int | None, expected: range
) -> None:
    assert [frame.step for frame in trace.frames(start, stop)] == list(expected)


def test_frames_of_a_level(trace: Trace) -> None:
    assert [frame.step for frame in trace.frames(level="full")] == list(range(0, 1000, 50))
    assert list(trace.frames(level="nothing")) == []


def test_frames_come_in_pages_but_without_gaps(writer: Writer, make_frame: MakeFrame) -> None:
    for step in range(1000):
        writer.frame(make_frame(step))
    writer.flush()
    with Trace.open(writer.path) as trace:
        assert [frame.step for frame in trace.frames()] == list(range(1000))


def test_frames_of_one_step_keep_their_order(writer: Writer, make_frame: MakeFrame) -> None:
    for index in range(600):
        writer.frame(make_frame(5, index=float(index)))
    writer.flush()
    with Trace.open(writer.path) as trace:
        assert [frame.scalars["index"] for frame in trace.frames()] == list(range(600))


def test_a_long_trace_is_not_read_at_once(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paramedic.trace.reader._PAGE", 3)
    frames = trace.frames()
    next(frames)
    trace.close()
    next(frames), next(frames)
    with pytest.raises(TraceError, match="closed"):
        next(frames)


@pytest.mark.parametrize(
    ("start", "stop"), [(None, None), (300, None), (None, 7), (511, 514), (600, 600)]
)
def test_pulse_of_a_range(trace: Trace, start: int | None, stop: int | None) -> None:
    pulse = trace.pulse(start, stop)
    assert pulse.step.tolist() == list(range(1000))[slice(start, stop)]
    assert pulse.loss.tolist() == pulse.step.tolist()


def test_a_window_ends_at_its_step(trace: Trace, chart: Chart) -> None:
    window = trace.window(255, size=8)
    assert window.steps.tolist() == list(range(180, 260, 10))
    assert window.pulse.step.tolist() == list(range(256))
    assert [epoch.step for epoch in window.epochs] == [99, 199]
    assert [event.step for event in window.events] == [99, 199]
    assert window.chart == chart


def test_the_window_without_a_step_is_the_newest(trace: Trace) -> None:
    window = trace.window()
    assert window.steps.tolist() == list(range(360, 1000, 10))
    assert len(window.epochs) == 10


def test_a_window_has_as_many_heartbeats_as_a_live_one(writer: Writer) -> None:
    for step in range(10_000):
        writer.pulse(step, 0.0, True, False)
    writer.flush()
    with Trace.open(writer.path) as trace:
        assert trace.window().pulse.step.tolist() == list(range(10_000 - 4096, 10_000))
        assert trace.window(5000).pulse.step.tolist() == list(range(5001 - 4096, 5001))


def test_an_empty_trace(writer: Writer) -> None:
    with Trace.open(writer.path) as trace:
        assert len(trace) == len(trace.pulse()) == len(trace.window()) == 0
        assert trace.last_step == -1
        assert trace.steps.tolist() == list(trace.frames()) == []
        assert trace.chart == Chart()
        assert trace.epochs == trace.events == trace.layouts == ()
        assert trace.meta("x") is None
        assert trace.meta("x", 5) == 5


def test_names_are_only_strings(writer: Writer, make_frame: MakeFrame) -> None:
    nasty = ("'; DROP TABLE frames; --", '"', "%s", "a\0b", "\ud800", "../../etc", "")
    writer.frame(make_frame(0, nasty[0], nasty, **{nasty[0]: 3.0}))
    writer.meta(nasty[0], nasty[1])
    writer.flush()
    assert writer.failure is None
    with Trace.open(writer.path) as trace:
        frame = next(trace.frames(level=nasty[0]))
        assert tuple(frame.layers) == nasty
        assert frame.scalars[nasty[0]] == 3.0
        assert trace.meta(nasty[0]) == nasty[1]


@pytest.mark.parametrize(
    "name", ["a b.db", "a?b.db", "a#b.db", "a%20b.db", "ä&mode=rw.db", "file:x"]
)
def test_any_path(tmp_path: Path, name: str, make_frame: MakeFrame) -> None:
    (tmp_path / "d?#%25").mkdir()
    writer = Writer(tmp_path / "d?#%25" / name)
    writer.frame(make_frame(0))
    writer.flush()
    with Trace.open(str(writer.path)) as trace:
        assert len(trace) == 1
    writer.close()


def test_a_relative_path(writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Trace.open("run.db") as trace:
        assert len(trace) == 0


def test_each_call_sees_what_was_committed_meanwhile(
    writer: Writer, make_frame: MakeFrame, chart: Chart
) -> None:
    with Trace.open(writer.path) as trace:
        for count in (1, 2, 3):
            writer.frame(make_frame(count, names=("a", "b", "c")[:count]))
            writer.flush()
            assert len(trace) == len(trace.layouts) == len(trace.window()) == count
        writer.chart(chart)
        assert trace.chart == chart


def test_frames_go_on_into_what_was_committed_meanwhile(
    writer: Writer, make_frame: MakeFrame
) -> None:
    writer.frame(make_frame(0))
    writer.flush()
    with Trace.open(writer.path) as trace:
        frames = trace.frames()
        assert next(frames).step == 0
        writer.frame(make_frame(1))
        writer.flush()
        assert next(frames).step == 1


def test_another_process_is_read_while_it_writes(
    tmp_path: Path, python: Callable[..., object]
) -> None:
    script = """
import sys, time
from paramedic.trace import Writer
from paramedic.types import Frame
writer = Writer(sys.argv[1], max_age=0.02)
print("open", flush=True)
for step in range(10_000):
    writer.frame(Frame(step, "full", {"loss": float(step)}, {}))
    time.sleep(0.005)
"""
    path = tmp_path / "run.db"
    process = python(script, path)
    assert process.stdout.readline() == "open\n"
    seen, deadline = [0], time.monotonic() + 20
    with Trace.open(path) as trace:
        while len(seen) < 5 and time.monotonic() < deadline:
            steps = [frame.step for frame in trace.frames()]
            assert steps == list(range(len(steps)))
            if len(steps) > seen[-1]:
                seen.append(len(steps))
        assert process.poll() is None
    process.kill()
    process.communicate()
    assert len(seen) == 5


def test_a_closed_trace_says_so(trace: Trace) -> None:
    trace.close()
    with pytest.raises(TraceError, match="closed"):
        len(trace)


# Files that are not what they should be. Random damage is in `test_hostile.py`.


def _refused(path: Path, words: str) -> None:
    with pytest.raises(TraceError, match=words) as caught:
        Trace.open(path)
    assert str(path) in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    _refused(tmp_path / "none.db", "No such file")


def test_a_directory(tmp_path: Path) -> None:
    _refused(tmp_path, "is a directory")


def test_an_empty_file_is_a_run_that_was_killed_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.db").touch()
    with Trace.open(tmp_path / "a.db") as trace:
        assert len(trace) == len(trace.pulse()) == len(trace.window().steps) == 0
        assert trace.last_step == -1
        assert trace.events == trace.epochs == ()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("step,loss\n" * 1000)
    _refused(tmp_path / "a.db", "not a database")


def test_a_device(tmp_path: Path) -> None:
    _refused(Path("/dev/null"), "not a regular file")


def test_somebody_elses_database(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "a.db")
    db.execute("CREATE TABLE frames(x)")
    db.close()
    _refused(tmp_path / "a.db", "not a trace of Paramedic")


def _changed(writer: Writer, *statements: str) -> Path:
    writer.close()
    db = sqlite3.connect(writer.path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()
    return writer.path


def test_a_newer_schema(writer: Writer) -> None:
    path = _changed(writer, "PRAGMA user_version = 7")
    _refused(path, r"newer Paramedic \(schema 7, this one reads up to 1\): upgrade")


def test_no_schema(writer: Writer) -> None:
    _refused(_changed(writer, "PRAGMA user_version = 0"), "unknown schema version 0")


def test_a_missing_table(writer: Writer) -> None:
    _refused(_changed(writer, "DROP TABLE epochs"), "no table `epochs`")


def test_a_view_in_the_place_of_a_table(writer: Writer) -> None:
    endless = (
        "CREATE VIEW epochs AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) "
        "SELECT n AS id, n AS step, n AS crc, n AS data FROM t"
    )
    _refused(_changed(writer, "DROP TABLE epochs", endless), "no table `epochs`")
