from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from paramedic.trace import Trace, Writer, database
from paramedic.trace.thinning import TARGET, thin, used_bytes
from paramedic.types import Epoch, Event, Frame

MakeFrame = Callable[..., Frame]
LIMIT = 400_000


@pytest.fixture
def db(writer: Writer) -> Iterator[sqlite3.Connection]:
    """Another connection to the file of `writer`, to thin it by hand."""
    connection = database._connect(str(writer.path))
    yield connection
    connection.close()


def _thin(db: sqlite3.Connection, limit: int) -> int:
    return sum(1 for _ in thin(db, limit))


def _steps(path: Path) -> list[int]:
    with Trace.open(path) as trace:
        return trace.steps.tolist()


def test_a_long_run_stays_within_its_size(tmp_path: Path, make_frame: MakeFrame) -> None:
    count, sizes = 12_000, []
    writer = Writer(tmp_path / "run.db", size_limit=LIMIT)
    for step in range(count):
        writer.frame(make_frame(step, "full" if step % 2 else "vitals", width=10))
        writer.pulse(step, step / 3, True, False)
        if step % 1000 == 0:
            writer.epoch(Epoch(step // 1000, step, {"val_loss": 1.0}))
            writer.event(Event(step, "k", "m"))
            sizes.append(writer.path.stat().st_size)
    writer.close()
    assert writer.failure is None
    assert max(sizes) < 1.15 * LIMIT
    assert writer.path.stat().st_size < 1.15 * LIMIT
    with Trace.open(writer.path) as trace:
        frames = list(trace.frames())
        assert len(trace.epochs) == len(trace.events) == 12
        pulse = trace.pulse()
    _assert_older_is_thinner(np.array([frame.step for frame in frames]), count)
    levels = Counter(frame.level for frame in frames)
    assert 0.9 < levels["full"] / levels["vitals"] < 1.1
    for frame in frames:
        assert frame.scalars["loss"] == frame.step / 7
        assert frame.layers["grad_norm"][0] == frame.step
    assert pulse.step[0] == 0
    assert pulse.step[-1] == count - 1
    np.testing.assert_array_equal(pulse.loss, pulse.step / 3)


def _assert_older_is_thinner(steps: np.ndarray, count: int) -> None:
    assert steps[0] == 0
    assert steps[-1] == count - 1
    recent = steps[steps > count - 200]
    assert (np.diff(recent) == 1).all()
    counts, _ = np.histogram(steps, bins=6, range=(0, count))
    assert (np.diff(counts) >= -3).all()
    assert counts[0] < counts[-1] / 3


def test_one_round_deletes_every_second_of_the_older_half(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(1000):
        writer.frame(make_frame(step))
    writer.flush()
    assert _thin(db, int(0.99 * used_bytes(db) / TARGET)) == 1
    assert _steps(writer.path) == [*range(0, 500, 2), *range(500, 1000)]


def test_each_level_is_thinned_for_itself(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(1000):
        writer.frame(make_frame(step, "full" if step % 2 else "vitals"))
    writer.flush()
    _thin(db, int(0.99 * used_bytes(db) / TARGET))
    with Trace.open(writer.path) as trace:
        full = [frame.step for frame in trace.frames(level="full")]
    assert full == [*range(1, 500, 4), *range(501, 1000, 2)]


def test_a_large_file_is_thinned_in_slices(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(400):
        writer.frame(make_frame(step, width=2000))
    writer.flush()
    before = used_bytes(db)
    assert before > 6_000_000
    assert _thin(db, int(0.99 * before / TARGET)) >= 3
    assert used_bytes(db) < 0.78 * before
    assert _steps(writer.path) == [*range(0, 200, 2), *range(200, 400)]


def test_small_rows_free_their_pages(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    # Deleted one by one they would leave half-empty pages, and the size would not change.
    for step in range(5000):
        writer.frame(make_frame(step))
    writer.flush()
    before = used_bytes(db)
    _thin(db, int(0.99 * before / TARGET))
    assert used_bytes(db) < 0.85 * before


def test_a_file_full_of_pulse_loses_pulse(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(200):
        writer.frame(make_frame(step))
    for step in range(40_000):
        writer.pulse(step, float(step), step != 4, step == 8)
    writer.flush()
    assert _thin(db, int(0.8 * used_bytes(db) / TARGET)) > 1
    assert _steps(writer.path) == list(range(200))
    with Trace.open(writer.path) as trace:
        pulse = trace.pulse()
    assert len(pulse) < 32_000
    assert pulse.step[:6].tolist() == [0, 2, 4, 6, 8, 10]
    assert (np.diff(pulse.step) > 0).all()
    assert (np.diff(pulse.step[pulse.step > 30_000]) == 1).all()
    np.testing.assert_array_equal(pulse.loss, pulse.step)
    assert pulse.step[~pulse.finite].tolist() == [4]
    assert pulse.step[pulse.skipped].tolist() == [8]


def test_many_small_chunks_are_merged(writer: Writer, db: sqlite3.Connection) -> None:
    for step in range(20_000):
        writer.pulse(step, 0.0, True, False)
        if step % 100 == 0:
            writer.flush()
    writer.flush()
    (before,) = db.execute("SELECT count(*) FROM pulses").fetchone()
    _thin(db, int(0.9 * used_bytes(db) / TARGET))
    (after,) = db.execute("SELECT count(*) FROM pulses").fetchone()
    assert after < 0.7 * before


def test_what_cannot_be_thinned_does_not_cost_the_frames(
    tmp_path: Path, make_frame: MakeFrame
) -> None:
    writer = Writer(tmp_path / "run.db", size_limit=100_000)
    for step in range(300):
        writer.frame(make_frame(step))
        writer.event(Event(step, "k", "m" * 2000))
    writer.close()
    assert writer.failure is None
    with Trace.open(writer.path) as trace:
        assert len(trace.events) == 300
        assert len(trace) >= 64


def test_nothing_happens_below_the_limit(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(300):
        writer.frame(make_frame(step))
    writer.flush()
    assert _thin(db, 10**9) == 0
    assert len(_steps(writer.path)) == 300
