from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paramedic.report.view.course import of_window, read
from paramedic.trace import Trace, TraceError, Writer
from paramedic.types import Chart, Frame, Layer
from tests.report.made import trace as recorded


def test_what_was_recorded_is_read(tmp_path: Path) -> None:
    with Trace.open(recorded(tmp_path / "run.db")) as trace:
        course = read(trace)
    assert course.last_step == 29
    assert course.steps.tolist() == list(range(0, 30, 3))
    assert course.scalars["grad_norm"].tolist() == [float(step) for step in range(0, 30, 3)]
    assert course.rates == ("lr/0",)
    assert course.pulse.skipped.nonzero()[0].tolist() == [4]
    norms = course.layers["grad_norm"]
    assert norms[:, 0].tolist() == [step + 1 for step in range(0, 30, 3)]
    assert np.isnan(norms[:5, 1]).all(), "the second layer came later"
    assert norms[5:, 1].tolist() == [step + 1 for step in range(15, 30, 3)]
    assert np.isnan(course.layers["act_dead"][1]).all(), "not measured at every look"


def test_reading_on_gives_the_same_as_reading_anew(tmp_path: Path) -> None:
    writer = Writer(
        tmp_path / "run.db",
    )
    writer.chart(Chart((Layer("a", "Linear"),)))
    for step in range(10):
        writer.pulse(step, 1.0, True, False)
        writer.frame(Frame(step, "vitals", {"loss": 1.0}, {"grad_norm": np.ones(1, np.float32)}))
        if step == 5:
            writer.flush()
            with Trace.open(tmp_path / "run.db") as trace:
                early = read(trace)
    writer.close()
    with Trace.open(tmp_path / "run.db") as trace:
        assert len(early.steps) == 6
        longer = read(trace, early)
        anew = read(trace)
        assert len(read(trace, longer).steps) == 10
    assert longer.steps.tolist() == anew.steps.tolist() == list(range(10))
    assert longer.pulse.step.tolist() == anew.pulse.step.tolist()
    assert longer.layers["grad_norm"].shape == (10, 1)


def test_an_empty_trace(tmp_path: Path) -> None:
    Writer(tmp_path / "run.db").close()
    with Trace.open(tmp_path / "run.db") as trace:
        course = read(trace)
    assert (course.last_step, len(course.steps), dict(course.layers)) == (-1, 0, {})


def test_a_window_is_a_short_course(tmp_path: Path) -> None:
    with Trace.open(recorded(tmp_path / "run.db")) as trace:
        course, window = read(trace), trace.window(size=4)
    short = of_window(window)
    assert short.steps.tolist() == course.steps[-4:].tolist()
    assert set(short.layers) == {"grad_norm", "act_dead"}
    assert short.rates == ("lr/0",)
    assert short.last_step == 29


def test_steps_of_a_resumed_run_are_put_in_order(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    for step in (0, 1, 2, 3, 2, 3, 4):
        writer.pulse(step, float(step), True, False)
    writer.close()
    with Trace.open(tmp_path / "run.db") as trace:
        assert read(trace).pulse.step.tolist() == [0, 1, 2, 2, 3, 3, 4]


def test_a_frame_of_the_wrong_size_is_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Trace.open(recorded(tmp_path / "run.db")) as trace:
        rows = [(*one[:4], b"short") for one in trace.blobs()]
        monkeypatch.setattr(trace, "blobs", lambda start=None: iter(rows))
        with pytest.raises(
            TraceError, match=r"run\.db` is damaged: a frame is invalid: .* 5 bytes"
        ):
            read(trace)
