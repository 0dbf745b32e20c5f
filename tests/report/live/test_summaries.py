"""The lines of the list."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import pytest

from paramedic.report.live import summaries as module
from paramedic.report.live.runs import Runs
from paramedic.report.live.summaries import Summaries, heights, summary
from paramedic.trace import Writer
from tests.report.live.traces import append, chart, recorded


def test_a_line_of_a_long_run_has_few_points(tmp_path: Path) -> None:
    place = Runs([recorded(tmp_path / "run.db", 3000)]).scan()[0]
    line = summary(place, place.stamp())
    assert len(line.curve) == 48
    assert line.curve[0] == pytest.approx(2 * 0.999**7.5, rel=1e-3)
    assert line.curve[-1] == pytest.approx(2 * 0.999**2991.5, rel=1e-3)


def test_losses_that_are_not_finite_are_gaps(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    for step in range(100):
        writer.pulse(step, math.inf if step > 50 else 1.0, step <= 50, False)
    writer.close()
    (line,), _ = Summaries().update(Runs([tmp_path]).scan())
    assert line.loss is None
    assert line.curve[0] == 1.0
    assert line.curve[-1] is None
    json.dumps(line.to_json(time.time()), allow_nan=False)


def test_small_curves_are_heights() -> None:
    assert heights((1.0, 10.0, None, 100.0)) == [0, 50, None, 99]  # by their logarithms
    assert heights((-1.0, 0.0, 1.0)) == [0, 50, 99]
    assert heights((3.0, 3.0)) == [0, 0]
    assert heights((None, None)) == [None, None]
    assert heights(()) == []


def test_only_what_has_changed_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(tmp_path / "a.db")
    writer = Writer(tmp_path / "b.db")
    writer.chart(chart())
    append(writer, 0, 10)
    lines, runs = Summaries(), Runs([tmp_path])
    lines.update(runs.scan())
    read: list[str] = []
    known = module.summary
    monkeypatch.setattr(
        module, "summary", lambda place, *rest: read.append(place.name) or known(place, *rest)
    )
    lines.update(runs.scan())
    append(writer, 10, 20)
    found, _ = lines.update(runs.scan())
    assert read == ["b.db"]
    assert {line.place.name: line.step for line in found} == {"a.db": 99, "b.db": 19}


def test_a_round_takes_no_longer_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        recorded(tmp_path / f"{name}.db")
    lines, places = Summaries(), Runs([tmp_path]).scan()
    monkeypatch.setattr(module, "_PATIENCE", -1.0)
    found, complete = lines.update(places)
    assert ([line.state for line in found], complete) == (["unread"] * 3, False)
    monkeypatch.setattr(module, "_PATIENCE", 10.0)
    found, complete = lines.update(places)
    assert ([line.state for line in found], complete) == (["ended"] * 3, True)


def test_a_damaged_trace_has_a_line_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_bytes(b"no database at all" * 100)
    (line,), _ = Summaries().update(Runs([tmp_path]).scan())
    told = line.to_json(time.time())
    assert told["state"] == "damaged"
    assert told["words"].startswith("The trace cannot be read as a trace")


def test_runs_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a.db")
    lines, runs = Summaries(), Runs([tmp_path])
    lines.update(runs.scan())
    path.unlink()
    assert lines.update(runs.scan()) == ([], True)
    assert lines._known == {}
