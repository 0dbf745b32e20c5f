from __future__ import annotations

import math
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
    _assert_an_even_share(np.array([frame.step for frame in frames]), count)
    levels = Counter(frame.level for frame in frames)
    assert 0.9 < levels["full"] / levels["vitals"] < 1.1
    for frame in frames:
        assert frame.scalars["loss"] == frame.step / 7
        assert frame.layers["grad_norm"][0] == frame.step
    assert pulse.step[0] == 0
    assert pulse.step[-1] == count - 1
    np.testing.assert_array_equal(pulse.loss, pulse.step / 3)


def _assert_an_even_share(steps: np.ndarray, count: int) -> None:
    assert steps[:32].tolist() == list(range(32))
    assert steps[-128:].tolist() == list(range(count - 128, count))
    counts, _ = np.histogram(steps, bins=6, range=(0, count))
    # What came after the last round is whole, and some of it is in the last stretch.
    assert counts[:-1].min() > 0.4 * counts[:-1].max()


def test_one_round_keeps_three_of_four_from_end_to_end(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(1000):
        writer.frame(make_frame(step))
    writer.flush()
    assert _thin(db, int(0.99 * used_bytes(db) / TARGET)) == 1
    steps = _steps(writer.path)
    assert steps[:32] == list(range(32))
    assert steps[-128:] == list(range(872, 1000))
    middle = np.array(steps[32:-128])
    counts, _ = np.histogram(middle, bins=8, range=(32, 872))
    assert (abs(counts - 0.75 * 105) < 25).all()
    assert np.diff(middle).max() == 2


def test_what_is_sparse_already_is_left_as_it_is(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    sparse, dense = range(0, 4000, 10), range(4000, 5000)
    for step in (*sparse, *dense):
        writer.frame(make_frame(step))
    writer.flush()
    _thin(db, int(0.99 * used_bytes(db) / TARGET))
    steps = _steps(writer.path)
    assert set(sparse) <= set(steps)
    assert len(steps) < 0.8 * (len(sparse) + len(dense))


def test_each_level_is_thinned_for_itself(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(2000):
        writer.frame(make_frame(step, "full" if step % 2 else "vitals"))
    writer.flush()
    _thin(db, int(0.99 * used_bytes(db) / TARGET))
    with Trace.open(writer.path) as trace:
        levels = Counter(frame.level for frame in trace.frames())
    assert 0.95 < levels["full"] / levels["vitals"] < 1.05
    assert levels["full"] < 850


def test_frames_whose_loss_is_not_finite_stay(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    bad = set(range(100, 3000, 97))
    for step in range(3000):
        writer.frame(make_frame(step, loss=math.nan if step in bad else 1.0))
    writer.flush()
    for _ in range(5):
        _thin(db, int(0.9 * used_bytes(db) / TARGET))
    steps = _steps(writer.path)
    assert bad <= set(steps)
    assert len(steps) < 1500


def test_a_run_without_any_finite_loss_stays_within_its_size(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(3000):
        writer.frame(make_frame(step, loss=math.nan))
        writer.pulse(step, math.nan, False, False)
    writer.flush()
    before = used_bytes(db)
    _thin(db, int(0.6 * before / TARGET))
    assert used_bytes(db) < 0.65 * before


def test_a_large_file_is_thinned_in_slices(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(600):
        writer.frame(make_frame(step, width=2000))
    writer.flush()
    before = used_bytes(db)
    assert before > 9_000_000
    assert _thin(db, int(0.99 * before / TARGET)) >= 3
    assert used_bytes(db) < 0.85 * before


def test_small_rows_free_their_pages(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    # Deleted one by one they would leave half-empty pages, and the size would not change.
    for step in range(5000):
        writer.frame(make_frame(step))
    writer.flush()
    before = used_bytes(db)
    _thin(db, int(0.99 * before / TARGET))
    assert used_bytes(db) < 0.88 * before


def test_a_file_full_of_pulse_loses_pulse(
    writer: Writer, db: sqlite3.Connection, make_frame: MakeFrame
) -> None:
    for step in range(200):
        writer.frame(make_frame(step))
    for step in range(40_000):
        writer.pulse(step, float(step), step != 8004, step == 8)
    writer.flush()
    assert _thin(db, int(0.8 * used_bytes(db) / TARGET)) > 1
    assert _steps(writer.path) == list(range(200))
    with Trace.open(writer.path) as trace:
        pulse = trace.pulse()
    assert len(pulse) < 32_000
    assert pulse.step[:512].tolist() == list(range(512))
    assert (np.diff(pulse.step) > 0).all()
    assert pulse.step[-4096:].tolist() == list(range(40_000 - 4096, 40_000))
    counts, _ = np.histogram(pulse.step[600:-4096], bins=6)
    assert counts.min() > 0.95 * counts.max()
    np.testing.assert_array_equal(pulse.loss, pulse.step)
    assert pulse.step[~pulse.finite].tolist() == [8004]
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
