"""How little of a trace is read for the list, and what a stranger's may not make us do."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from paramedic.report.live.glance import POINTS, Glance, glance
from paramedic.report.live.runs import Runs, Stamp
from paramedic.report.live.summaries import summary
from paramedic.trace import Trace, TraceError, Writer
from tests.report.live.traces import append, chart, recorded

MOST_BYTES = 2**20  # that are read of one trace


def written(path: Path, losses: list[float], every: int) -> Path:
    """Losses, committed so many at a time."""
    writer = Writer(path)
    writer.chart(chart())
    for step, loss in enumerate(losses):
        writer.pulse(step, loss, math.isfinite(loss), False)
        if step % every == every - 1:
            writer.flush()
    writer.close()
    return path


def test_it_tells_the_same_as_the_whole_trace(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db", 3000)
    with Trace.open(path) as whole, Glance.open(path) as trace:
        assert trace.newest_step == whole.last_step == 2999
        losses = whole.pulse().loss
        assert trace.newest_loss == pytest.approx(losses[-1], rel=1e-5)
        curve = trace.curve()
        assert len(curve) == POINTS
        assert curve[0] == pytest.approx(losses[:16].mean(), rel=1e-5)
        assert curve[-1] == pytest.approx(losses[-16:].mean(), rel=1e-5)


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 100])
def test_short_runs_have_short_curves(tmp_path: Path, count: int) -> None:
    path = written(tmp_path / "run.db", [float(step + 1) for step in range(count)], 512)
    with Glance.open(path) as trace:
        curve = trace.curve()
        assert len(curve) == (count - 1) // 16 + 1
        assert curve[-1] == pytest.approx(
            sum(range(max(count - 15, 1), count + 1)) / min(count, 16)
        )


def test_long_runs_and_those_that_commit_often_have_whole_curves(tmp_path: Path) -> None:
    losses = [1.0 + step for step in range(3000)]
    for every in (1, 7, 512):
        with Glance.open(written(tmp_path / f"{every}.db", losses, every)) as trace:
            curve = trace.curve()
            assert len(curve) == POINTS
            assert list(curve) == sorted(curve)  # type: ignore[type-var]
            assert curve[0] is not None
            assert curve[0] < 20
            assert curve[-1] == pytest.approx(3000, rel=0.01)


def test_losses_that_are_no_numbers_are_gaps(tmp_path: Path) -> None:
    losses = [math.nan] * 600 + [1.0] * 500 + [math.inf] * 500 + [1.7e308] * 20
    with Glance.open(written(tmp_path / "run.db", losses, 4)) as trace:
        curve = trace.curve()
        assert curve[0] is None
        assert 1.0 in curve
        assert trace.newest_loss == 1.7e308
        json.dumps(curve, allow_nan=False)


def test_a_run_without_losses_is_read(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    writer.close()
    with Glance.open(tmp_path / "run.db") as trace:
        assert (trace.newest_step, trace.newest_loss, trace.curve()) == (-1, None, ())


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_of_a_large_trace_few_bytes_are_read(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart(tuple(f"layer{number}" for number in range(200))))
    append(writer, 0, 60_000, 200)
    writer.close()
    assert (tmp_path / "run.db").stat().st_size > 10 * MOST_BYTES
    place = Runs([tmp_path]).scan()[0]
    before = _bytes_read()
    assert summary(place, place.stamp()).step == 59_999
    assert _bytes_read() - before < MOST_BYTES


def _bytes_read() -> int:
    lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return int(lines[0].removeprefix("rchar: "))


def test_a_long_note_is_not_read(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    append(writer, 0, 10)
    writer.meta("standing", {"verdict": "learning", "told": "x" * 2**23})
    writer.close()
    with Glance.open(tmp_path / "run.db") as trace:
        with pytest.raises(TraceError, match="too big"):
            trace.meta("standing")
        assert trace.newest_step == 9


def test_a_long_log_is_not_read(tmp_path: Path) -> None:
    place = Runs([recorded(tmp_path / "run.db")]).scan()[0]
    with pytest.raises(TraceError, match="a log of 1024 MB, too large for the list: open it"):
        glance(place, Stamp(log_size=2**30))
