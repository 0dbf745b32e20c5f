from __future__ import annotations

from pathlib import Path

from paramedic.prescribe.replay import replay
from paramedic.report import view
from paramedic.trace import Trace
from tests.report.made import trace as recorded


def test_the_example_of_the_package(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    with Trace.open(path) as trace:
        course = view.read(trace)
        judgement = view.of_trace(trace) or view.of_replay(replay(path))
        shown = view.run_view("run.db", course, judgement, spent=trace.meta("spent"), width=480)
    assert shown.headline.sentence.startswith("Learning: the loss fell from 1 to 0.07")
    assert {panel.name for panel in shown.panels} == {"loss", "grad_norm", "rate"}
    assert shown.to_json()["last_step"] == 29
    assert all(hasattr(view, name) for name in view.__all__)
