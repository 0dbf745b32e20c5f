from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from paramedic.trace import History, Trace, Writer
from paramedic.types import Chart, Epoch, Event, Frame, Layer, Window

MakeFrame = Callable[..., Frame]
SameWindow = Callable[[Window, Window], None]


def test_an_empty_one_gives_an_empty_window(chart: Chart) -> None:
    history = History()
    history.set_chart(chart)
    window = history.window()
    assert len(window) == len(window.pulse) == 0
    assert window.step == -1
    assert window.layer("grad_norm").shape == (0, 3)


@pytest.mark.parametrize("count", [1, 4, 5, 8, 9, 50])
def test_the_last_frames_are_remembered(make_frame: MakeFrame, chart: Chart, count: int) -> None:
    history = History(capacity=4)
    history.set_chart(chart)
    for step in range(count):
        history.add_frame(make_frame(step))
    window = history.window()
    expected = list(range(count))[-4:]
    assert window.steps.tolist() == expected
    assert window.scalar("loss").tolist() == [step / 7 for step in expected]
    for name, factor in (("grad_norm", 1), ("grad_nonfinite", 2)):
        rows = [[factor * (step + layer) for layer in range(3)] for step in expected]
        assert window.layer(name).tolist() == rows


def test_views_are_read_only(make_frame: MakeFrame) -> None:
    history = History()
    history.add_frame(make_frame(0))
    window = history.window()
    for array in (window.steps, window.scalar("loss"), window.layer("grad_norm")):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_window_that_is_held_never_changes(
    make_frame: MakeFrame, assert_same_window: SameWindow
) -> None:
    history, other = History(4, 8), History(4, 8)
    for step in range(6):
        for each in (history, other):
            each.add_frame(make_frame(step))
            each.add_pulse(step, 1.0, True, False)
    held, expected = history.window(), other.window()
    for step in range(6, 200):
        history.add_frame(make_frame(step, names=("grad_norm", "new"), width=5))
        history.add_pulse(step, math.nan, False, True)
        history.add_event(Event(step, "k", "m"))
    assert_same_window(held, expected)


def test_statistics_not_measured_are_nan(make_frame: MakeFrame) -> None:
    history = History(capacity=3)
    history.add_frame(make_frame(0, names=("a",), lr=0.1))
    history.add_frame(make_frame(1, names=("b", "a"), scale=2.0))
    history.add_frame(make_frame(2, names=("b",)))
    history.add_frame(Frame(3, "vitals", {}, {}))
    window = history.window()
    np.testing.assert_array_equal(window.scalar("scale"), [2.0, math.nan, math.nan])
    np.testing.assert_array_equal(window.layer("a")[:, 0], [2.0, math.nan, math.nan])
    np.testing.assert_array_equal(window.layer("b")[:, 0], [1.0, 2.0, math.nan])
    assert "lr" not in window.scalars
    assert set(window.layers) == {"a", "b"}


def test_layers_added_later_are_nan_before(make_frame: MakeFrame, chart: Chart) -> None:
    history = History()
    history.set_chart(chart)
    history.add_frame(make_frame(0))
    more = Chart(layers=(*chart.layers, Layer("late", "Linear")))
    history.set_chart(more)
    history.add_frame(make_frame(1, width=4))
    history.add_frame(make_frame(2))
    window = history.window()
    assert window.chart == more
    np.testing.assert_array_equal(
        window.layer("grad_norm"), [[0, 1, 2, math.nan], [1, 2, 3, 4], [2, 3, 4, math.nan]]
    )


def test_the_newest_loss_can_be_amended(make_frame: MakeFrame) -> None:
    history = History()
    history.amend_loss(1.0, True)
    for step in range(3):
        history.add_frame(make_frame(step))
        history.add_pulse(step, math.nan, True, False)
    history.amend_loss(math.inf, False)
    window = history.window()
    assert window.scalar("loss").tolist() == [0.0, 1 / 7, math.inf]
    assert window.scalar("loss_finite").tolist() == [1.0, 1.0, 0.0]
    assert window.pulse.loss[-1] == math.inf
    assert window.pulse.finite.tolist() == [True, True, False]


def test_the_frame_of_another_step_is_not_amended(make_frame: MakeFrame) -> None:
    history = History()
    history.add_frame(make_frame(0))
    history.add_pulse(1, 1.0, True, False)
    history.amend_loss(9.0, True)
    assert history.window().scalar("loss").tolist() == [0.0]
    assert history.window().pulse.loss.tolist() == [9.0]


def test_a_frame_without_a_loss_gets_none() -> None:
    history = History()
    history.add_frame(Frame(0, "vitals", {"loss": 1.0}, {}))
    history.add_frame(Frame(1, "vitals", {"lr": 1.0}, {}))
    history.add_pulse(1, 1.0, True, False)
    history.amend_loss(9.0, True)
    np.testing.assert_array_equal(history.window().scalar("loss"), [1.0, math.nan])


def test_epochs_are_all_kept_and_the_last_thousand_events() -> None:
    history = History()
    for step in range(1200):
        history.add_epoch(Epoch(step, step, {}))
        history.add_event(Event(step, "k", "m"))
    window = history.window()
    assert len(window.epochs) == 1200
    assert [event.step for event in window.events] == list(range(200, 1200))


def test_a_ragged_frame_is_refused_and_forgotten() -> None:
    history = History()
    rows = {"a": np.zeros(3, np.float32), "b": np.zeros(2, np.float32)}
    with pytest.raises(ValueError, match="`b` has shape"):
        history.add_frame(Frame(0, "full", {}, rows))
    assert len(history.window()) == 0


@pytest.mark.parametrize("name", ["capacity", "pulses"])
def test_impossible_settings_fail_at_once(name: str) -> None:
    with pytest.raises(ValueError, match=f"`{name}` must be at least 1 but got 0"):
        History(**{name: 0})


def _random_run(seed: int, count: int) -> list[Frame]:
    """Frames of several kinds, some with NaN, as a probe on a schedule gives them."""
    random = np.random.default_rng(seed)
    frames = []
    for step in range(count):
        rare = step < 5 or step % 41 == 0
        names = ["grad_norm", "act_dead", "act_mean"][: 3 if rare else 1 + step % 2]
        scalars = {"loss": float(random.normal()), "loss_finite": 1.0}
        if step % 3:
            scalars["grad_norm"] = math.nan if step % 7 == 0 else 1.0
        width = 3 if step < 30 else 4
        rows = {name: random.normal(size=width).astype(np.float32) for name in names}
        frames.append(Frame(step * 3, "full" if rare else "vitals", scalars, rows))
    return frames


@pytest.mark.parametrize("seed", [0, 1])
def test_a_replayed_window_equals_the_live_one(
    tmp_path: Path, chart: Chart, assert_same_window: SameWindow, seed: int
) -> None:
    chart = Chart(layers=(*chart.layers, Layer("late", "Linear")))
    writer, history = Writer(tmp_path / "run.db"), History(capacity=16)
    writer.chart(chart)
    history.set_chart(chart)
    live: dict[int, Window] = {}
    for frame in _random_run(seed, 120):
        for step in range(frame.step - 2, frame.step + 1):
            writer.pulse(step, step / 3, step % 5 != 0, step % 11 == 0)
            history.add_pulse(step, step / 3, step % 5 != 0, step % 11 == 0)
        writer.frame(frame)
        history.add_frame(frame)
        if frame.step % 4 == 0:
            writer.amend_loss(50.0, False)
            history.amend_loss(50.0, False)
        if frame.step % 30 == 0:
            epoch, event = (
                Epoch(frame.step // 30, frame.step, {"a": 1.0}),
                Event(frame.step, "k", ""),
            )
            writer.epoch(epoch)
            writer.event(event)
            history.add_epoch(epoch)
            history.add_event(event)
        live[frame.step] = history.window()
    writer.close()
    with Trace.open(writer.path) as trace:
        for step, window in live.items():
            assert_same_window(trace.window(step, size=16), window)
        assert_same_window(trace.window(size=16), history.window())


def test_what_is_made_of_the_frames_is_kept_until_they_change(
    make_frame: MakeFrame, chart: Chart
) -> None:
    history, asked = History(), []

    def newest(window: Window) -> float:
        asked.append(window.step)
        return float(window.scalar("loss")[-1])

    history.set_chart(chart)
    history.add_frame(make_frame(0))
    history.add_pulse(0, 0.0, True, False)
    assert history.window().of_frames(newest) == 0.0
    history.add_pulse(1, 0.5, True, False)
    history.add_epoch(Epoch(0, 1, {"val_loss": 1.0}))
    assert history.window().of_frames(newest) == 0.0
    assert asked == [0], "neither losses nor epochs change it"
    held = history.window()
    history.add_frame(make_frame(7))
    history.add_pulse(7, 1.0, True, False)
    assert history.window().of_frames(newest) == 1.0
    history.amend_loss(3.0, True)
    assert history.window().of_frames(newest) == 3.0
    history.set_chart(chart)
    assert history.window().of_frames(newest) == 3.0
    assert asked == [0, 7, 7, 7]
    assert held.of_frames(newest) == 0.0
