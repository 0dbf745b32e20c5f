"""The benchmark of the pages: its runs are as promised, its page says what was measured."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paramedic.trace import Trace

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The parts, imported as the benchmark imports them."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in list(sys.modules):
        if name.split(".")[0] == "show_parts":
            del sys.modules[name]


def test_runs_are_as_long_and_as_often_looked_at_as_promised(parts: Any, tmp_path: Path) -> None:
    run = parts("show_parts.traces").Run(tmp_path / "run.db", 7, 10)
    run.go(300)
    run.go(100)
    run.end_epochs()
    run.writer.close()
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.last_step == 399
        assert len(trace.pulse()) == 400
        assert [frame.level for frame in trace.frames()] == ["full", "vitals"] * 20
        assert all(len(row) == 7 for frame in trace.frames() for row in frame.layers.values())
        assert len(trace.epochs) == 50


def test_the_sizes_are_those_of_the_goal(parts: Any) -> None:
    full = parts("show_parts.sizes").FULL
    assert (full.report_steps, full.runs, full.steps, full.layers) == (10_000, 50, 100_000, 50)
    assert full.clients == 100


def _measured(update: float) -> dict[str, Any]:
    opened = {"paint": 0.3, "drawn": 0.9}
    pages = ("list", "list_cold", "cold", "warm", "dense_cold")
    return {
        "live": {
            **dict.fromkeys(pages, opened),
            "update": {"median": update, "p90": update, "worst": 0.5, "count": 30, "server": 0.05},
            "clients": {"count": 100, "first": 0.1, "last": 0.2, "worst": 0.3},
            "runs": 50, "steps": 100_000, "layers": 50, "looks": 2000, "dense_looks": 10_000,
            "megabytes": 5.0, "dense_megabytes": 90.0, "bytes": 250_000, "memory": 120.0,
            "load": 1.0,
        }
    }  # fmt: skip


def test_goals_are_called_missed_when_they_are(parts: Any) -> None:
    render = parts("show_parts.page").render
    line = "median of 30 | ≤ 0.2 s |"
    assert f"{line} 0.10 s | **met** |" in render(_measured(0.1))
    assert f"{line} 0.21 s | **missed** |" in render(_measured(0.21))
    assert "worst | ≤ 0.2 s | 0.50 s | **missed**" in render(_measured(0.1))
