"""A disk that hiccups costs the training no time, and the trace as little as possible."""

from __future__ import annotations

import logging
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from paramedic.trace import Trace, Writer, scribe, store
from paramedic.types import Event, Frame

MakeFrame = Callable[..., Frame]
STALL = 0.05  # seconds that no call may take, but for what else the machine does


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()


@contextmanager
def _full(writer: Writer) -> Iterator[None]:
    assert writer._scribe is not None
    db = writer._scribe._recording._db
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages + 1}")
    try:
        yield
    finally:
        db.execute("PRAGMA max_page_count = 1000000")


def _work(writer: Writer, make_frame: MakeFrame, steps: range, pause: float = 0.001) -> float:
    """Records as a training does; the longest that a step was held up, as the CPU time and the
    waiting of this thread tell."""
    longest = 0.0
    for step in steps:
        begin = time.perf_counter()
        writer.pulse(step, 1.0, True, False)
        writer.frame(make_frame(step))
        if step % 50 == 0:
            writer.event(Event(step, "k", "m"))
        longest = max(longest, time.perf_counter() - begin)
        time.sleep(pause)
    return longest


@pytest.mark.parametrize("hiccup", ["locked", "full"])
def test_a_hiccup_costs_nothing_that_there_is_room_for(
    writer: Writer,
    make_frame: MakeFrame,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    hiccup: str,
) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.03)
    _work(writer, make_frame, range(100))
    with _locked(writer.path) if hiccup == "locked" else _full(writer):
        stalls = [
            _work(writer, make_frame, range(start, start + 100)) for start in range(100, 1100, 100)
        ]
        assert writer.failure is not None
        assert "at present" in writer.failure
    _work(writer, make_frame, range(1100, 1200))
    writer.close()
    assert np.median(stalls) < STALL  # one may be of the machine
    assert writer.failure is None
    with Trace.open(writer.path) as trace:
        assert trace.steps.tolist() == list(range(1200))
        assert trace.pulse().step.tolist() == list(range(1200))
        assert [event.step for event in trace.events] == list(range(0, 1200, 50))
    assert all("is kept, as far as there is room" in one.getMessage() for one in caplog.records)


def test_beyond_the_room_an_even_share_is_kept_and_the_rest_counted(
    writer: Writer, make_frame: MakeFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.01)
    with _locked(writer.path):
        _work(writer, make_frame, range(20_000), pause=0.0)
    _work(writer, make_frame, range(20_000, 20_100))
    writer.close()
    with Trace.open(writer.path) as trace:
        steps = trace.steps
    assert 1000 < len(steps) < 20_000
    assert f"{20_100 - len(steps)} frames" in str(writer.failure)
    counts, _ = np.histogram(steps[steps >= 1000], bins=10, range=(1000, 20_000))
    assert counts.min() > 0.4 * counts.max()
    assert steps[-1] >= 20_050


def test_somebody_is_told_once_of_a_hiccup_that_lasts(
    writer: Writer,
    make_frame: MakeFrame,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(scribe, "_TELL_AFTER", 0.1)
    monkeypatch.setattr(store, "PATIENCE", 0.01)
    caplog.set_level(logging.INFO)
    with _locked(writer.path):
        _work(writer, make_frame, range(500))
    writer.close()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2
    assert "keeps it locked" in told[0]
    assert "is recorded again" in told[1]


def test_nobody_waits_a_second_time_for_a_disk_that_is_not_available(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.2)
    with _locked(writer.path):
        writer.event(Event(0, "k", "m"))
        begin = time.monotonic()
        for step in range(100):
            writer.event(Event(step, "k", "m"))
        assert time.monotonic() - begin < 0.2
    writer.flush()
    assert writer.failure is None


def test_whoever_writes_without_pause_waits_for_a_disk_that_is_there(
    writer: Writer, make_frame: MakeFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.03)
    _work(writer, make_frame, range(20_000), pause=0.0)
    writer.close()
    assert writer.failure is None
    with Trace.open(writer.path) as trace:
        assert len(trace) == len(trace.pulse()) == 20_000


def test_no_thread_is_left_when_all_is_written(writer: Writer, make_frame: MakeFrame) -> None:
    _work(writer, make_frame, range(200))
    writer.flush()
    assert [one for one in threading.enumerate() if one.name == "paramedic"] == []


def test_without_threads_it_is_written_in_the_end(
    writer: Writer, make_frame: MakeFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    _work(writer, make_frame, range(200))
    writer.close()
    assert writer.failure is None
    with Trace.open(writer.path) as trace:
        assert len(trace) == 200


_RECORD = """
import os, signal, sys, threading, time, warnings
from paramedic.trace import Writer
from paramedic.types import Frame
warnings.simplefilter("error")
writer = Writer(sys.argv[1])
def work(steps):
    for step in steps:
        writer.frame(Frame(step, "full", {"loss": 1.0}, {}))
        writer.pulse(step, 1.0, True, False)
"""


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("", 0),
        ("raise KeyError('of the user')", 1),
        ("sys.exit(3)", 3),
        ("os.kill(os.getpid(), signal.SIGINT); time.sleep(9)", -signal.SIGINT),
        ("raise KeyboardInterrupt", -signal.SIGINT),
    ],
)
def test_the_end_of_the_program_writes_the_rest(
    tmp_path: Path, python: Callable[..., object], end: str, code: int
) -> None:
    process = python(f"{_RECORD}\nwork(range(1000))\n{end}", tmp_path / "run.db")
    process.communicate(timeout=60)
    assert process.returncode == code
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.steps.tolist() == trace.pulse().step.tolist() == list(range(1000))


def test_the_end_of_the_program_waits_for_a_lock_but_not_for_ever(
    tmp_path: Path, python: Callable[..., object], run_python: Callable[..., str]
) -> None:
    run_python(_RECORD, tmp_path / "run.db")
    (tmp_path / "run.db").unlink()
    script = f"{_RECORD}\nwork(range(10))\nprint(0, flush=True)\nsys.stdin.readline()"
    process = python(script, tmp_path / "run.db")
    process.stdout.readline()
    with _locked(tmp_path / "run.db"):
        begin = time.monotonic()
        process.communicate(timeout=60)
    assert 4 < time.monotonic() - begin < 12
    with Trace.open(tmp_path / "run.db") as trace:
        assert len(trace) == 0


def test_a_fork_finds_no_thread_and_loses_nothing(
    tmp_path: Path, run_python: Callable[..., str]
) -> None:
    script = f"""{_RECORD}
import sqlite3
for start in range(0, 3000, 100):
    work(range(start, start + 100))
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        assert threading.active_count() == 1
        assert len(os.listdir("/proc/self/task")) == 1
        sqlite3.connect(":memory:").execute("SELECT 1")
        work(range(5000, 6000))
        writer.close()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
writer.close()
print(writer.failure)
"""
    assert run_python(script, tmp_path / "run.db").split() == ["None"]
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.steps.tolist() == trace.pulse().step.tolist() == list(range(3000))
