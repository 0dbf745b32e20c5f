"""Everything reaches both ends; losses are told late, in bundles, but in order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from paramedic.diagnose.engine import Engine
from paramedic.probe.recorder import Recorder
from paramedic.types import Chart, Epoch, Event, Frame, Layer


class FakeWriter:
    """Writes down every call."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *args: self.calls.append((name, *args))

    def steps(self) -> list[int]:
        return [call[1] for call in self.calls if call[0] == "pulse"]


def _recorder() -> tuple[Recorder, FakeWriter]:
    writer = FakeWriter()
    return Recorder(writer, Engine()), writer  # type: ignore[arg-type]


def _pulse(recorder: Recorder, step: int, loss: float | Tensor | None, **flags: bool) -> None:
    settings = {"finite": True, "skipped": False, **flags}
    recorder.pulse(step, loss, finite=settings["finite"], skipped=settings["skipped"])


def _away(value: float) -> Tensor:
    """A loss that is not read yet."""
    return torch.tensor(value)


def _frame(step: int, **scalars: float) -> Frame:
    return Frame(step, "full", scalars, {"grad_norm": np.array([float(step)], np.float32)})


def test_a_loss_that_is_known_goes_to_both_ends() -> None:
    recorder, writer = _recorder()
    _pulse(recorder, 0, 1.5)
    _pulse(recorder, 1, float("inf"), finite=False, skipped=True)
    recorder.settle()
    recorder.settle()
    assert writer.calls == [("pulse", 0, 1.5, True, False), ("pulse", 1, math.inf, False, True)]
    pulse = recorder.window().pulse
    assert pulse.step.tolist() == [0, 1]
    assert pulse.loss.tolist() == [1.5, math.inf]
    assert pulse.finite.tolist() == [True, False]
    assert pulse.skipped.tolist() == [False, True]


def test_a_loss_that_was_not_seen() -> None:
    recorder, writer = _recorder()
    _pulse(recorder, 0, None)
    recorder.settle()
    assert np.isnan(recorder.window().pulse.loss).tolist() == [True]
    assert math.isnan(writer.calls[0][2])


def test_losses_on_another_device_are_fetched_together() -> None:
    recorder, writer = _recorder()
    for step in range(60):
        _pulse(recorder, step, _away(float(step)), skipped=step == 3)
    assert writer.calls == []
    for step in range(60, 200):
        _pulse(recorder, step, _away(float(step)))
    told = writer.steps()
    assert 60 < len(told) < 200  # not one by one, and not without end
    assert told == list(range(len(told)))
    recorder.settle()
    assert writer.steps() == list(range(200))
    assert [call[2] for call in writer.calls] == [float(step) for step in range(200)]
    assert [call[1] for call in writer.calls if call[4]] == [3]


def test_one_transfer_for_all_losses_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, _ = _recorder()
    transfers = []
    fetch = Tensor.tolist
    monkeypatch.setattr(Tensor, "tolist", lambda self: (transfers.append(1), fetch(self))[1])
    monkeypatch.setattr(Tensor, "item", lambda self: pytest.fail("one by one"))
    for step in range(50):
        _pulse(recorder, step, _away(float(step)))
    recorder.settle()
    assert len(transfers) == 1


def test_late_losses_may_have_any_shape_and_precision() -> None:
    recorder, _ = _recorder()
    losses = [torch.tensor([2.0]), torch.tensor([[3.0]]).half(), torch.tensor(4.0).double()]
    for step, loss in enumerate(losses):
        _pulse(recorder, step, loss)
    assert recorder.window().pulse.loss.tolist() == [2.0, 3.0, 4.0]


def test_a_late_loss_tells_whether_it_was_finite() -> None:
    recorder, writer = _recorder()
    for step, value in enumerate((1.0, math.nan, math.inf)):
        _pulse(recorder, step, _away(value))
    recorder.settle()
    assert [call[3] for call in writer.calls] == [True, False, False]


@pytest.mark.parametrize("what", ["window", "epoch", "event", "amend_loss", "close"])
def test_late_losses_are_fetched_before_anything_else_is_recorded(what: str) -> None:
    recorder, writer = _recorder()
    for step in range(3):
        _pulse(recorder, step, _away(float(step)))
    arguments: dict[str, tuple[Any, ...]] = {
        "epoch": (Epoch(0, 2, {}),),
        "event": (Event(2, "kind", "message"),),
        "amend_loss": (7.0,),
        "close": ({},),
    }
    getattr(recorder, what)(*arguments.get(what, ()))
    assert writer.steps() == [0, 1, 2]
    assert [call[0] for call in writer.calls[:3]] == ["pulse"] * 3


@pytest.mark.parametrize("known", [5.0, None])
def test_a_known_loss_does_not_overtake_late_ones(known: float | None) -> None:
    recorder, writer = _recorder()
    _pulse(recorder, 0, _away(1.0))
    _pulse(recorder, 1, known)
    _pulse(recorder, 2, _away(3.0))
    assert recorder.window().pulse.step.tolist() == [0, 1, 2]
    assert writer.steps() == [0, 1, 2]


def test_amending_corrects_the_newest_step_at_both_ends() -> None:
    recorder, writer = _recorder()
    _pulse(recorder, 0, 1.0)
    _pulse(recorder, 1, None)
    recorder.amend_loss(4.0)
    assert recorder.window().pulse.loss.tolist() == [1.0, 4.0]
    assert writer.calls[-1] == ("amend_loss", 4.0, True)
    recorder.amend_loss(math.nan)
    assert recorder.window().pulse.finite.tolist() == [True, False]
    assert writer.calls[-1][2] is False


def test_amending_a_late_loss() -> None:
    recorder, _ = _recorder()
    _pulse(recorder, 0, _away(1.0))
    _pulse(recorder, 1, _away(2.0))
    recorder.amend_loss(9.0)
    assert recorder.window().pulse.loss.tolist() == [1.0, 9.0]


def test_amending_reaches_the_frame_of_the_same_step() -> None:
    recorder, _ = _recorder()
    _pulse(recorder, 0, 1.0)
    recorder.frame(_frame(0, loss=1.0, loss_finite=1.0))
    recorder.amend_loss(math.inf)
    assert recorder.window().scalar("loss").tolist() == [math.inf]
    assert recorder.window().scalar("loss_finite").tolist() == [0.0]


def test_frames_epochs_events_and_charts_reach_both_ends() -> None:
    recorder, writer = _recorder()
    chart, frame = Chart(layers=(Layer("a", "Linear"),)), _frame(3, loss=2.0)
    epoch, event = Epoch(0, 3, {"val_loss": 1.0}), Event(3, "kind", "message")
    recorder.chart(chart)
    recorder.frame(frame)
    recorder.epoch(epoch)
    recorder.event(event)
    assert writer.calls == [
        ("chart", chart), ("frame", frame), ("epoch", epoch), ("event", event),
    ]  # fmt: skip
    window = recorder.window()
    assert window.chart is chart
    assert window.steps.tolist() == [3]
    assert window.layer("grad_norm").tolist() == [[3.0]]
    assert window.series("val_loss").tolist() == [1.0]
    assert window.events == (event,)


def test_closing_writes_what_is_left() -> None:
    recorder, writer = _recorder()
    _pulse(recorder, 0, _away(1.0))
    recorder.close({"spent": {"seconds": 1}, "more": 2})
    assert writer.calls == [
        ("pulse", 0, 1.0, True, False),
        ("meta", "spent", {"seconds": 1}),
        ("meta", "more", 2),
        ("close",),
    ]


def test_without_a_trace_only_the_memory_is_kept() -> None:
    recorder = Recorder(None, Engine())
    for step in range(70):
        _pulse(recorder, step, _away(float(step)) if step % 2 else float(step))
    recorder.frame(_frame(69))
    recorder.amend_loss(0.0)
    recorder.close({"spent": 1})
    assert recorder.window().pulse.loss.tolist() == [*map(float, range(69)), 0.0]
    assert recorder.window().steps.tolist() == [69]
