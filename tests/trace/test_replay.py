from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from paramedic.diagnose.engine import Engine
from paramedic.trace import Trace, TraceError, Writer
from paramedic.trace import replay as module
from paramedic.trace.replay import tell
from paramedic.trace.schema import checksum
from paramedic.types import Chart, Epoch, Event, Frame, Layer, Window
from tests.diagnose.scripted import scripted

CHART = Chart(layers=(Layer("first", "Linear"), Layer("last", "Linear")))


class Listener:
    """An engine whose one detector keeps every window it is shown."""

    def __init__(self) -> None:
        self.windows: list[Window] = []
        self.engine = Engine([scripted(self.windows.append)], frames=8, pulses=32)
        self.engine.chart(CHART)


@dataclass
class Recorded:
    """Tells a run to a live listener and to a file at the same time, as a monitor does."""

    live: Listener
    writer: Writer

    def step(self, step: int, loss: float, *, skipped: bool = False) -> None:
        for end in (self.live.engine, self.writer):
            end.pulse(step, loss, math.isfinite(loss), skipped)

    def frame(self, frame: Frame) -> None:
        for end in (self.live.engine, self.writer):
            end.frame(frame)

    def event(self, event: Event) -> None:
        for end in (self.live.engine, self.writer):
            end.event(event)

    def epoch(self, epoch: Epoch) -> None:
        for end in (self.live.engine, self.writer):
            end.epoch(epoch)

    def amend(self, loss: float) -> None:
        for end in (self.live.engine, self.writer):
            end.amend_loss(loss, math.isfinite(loss))


def _frame(step: int, loss: float, random: np.random.Generator) -> Frame:
    full = random.random() < 0.3
    names = ("grad_norm", "act_var") if full else ("grad_norm",)
    layers = {name: random.random(2).astype(np.float32) for name in names}
    scalars = {"loss": loss, "loss_finite": float(math.isfinite(loss)), "grad_norm": 1 / 3}
    return Frame(step, "full" if full else "vitals", scalars, layers)


def _live(path: Path, seed: int, share: float, steps: int = 300) -> Listener:
    """A random run: frames at a share of the steps, events and epochs at any."""
    random = np.random.default_rng(seed)
    run = Recorded(Listener(), Writer(path, max_age=1e9))
    run.writer.chart(CHART)
    for step in range(steps):
        loss = float(random.normal()) if random.random() < 0.95 else math.inf
        run.step(step, loss, skipped=bool(random.random() < 0.05))
        if random.random() < share:
            run.frame(_frame(step, loss, random))
        if random.random() < 0.1:
            run.amend(float(random.normal()))
        for _ in range(int(random.random() < 0.1) + int(random.random() < 0.1)):
            run.event(Event(step, "non-finite", f"event of {step}", {"n": float(random.random())}))
        if random.random() < 0.1:
            run.epoch(Epoch(len(run.live.engine.window().epochs), step, {"val_loss": loss}))
    run.live.engine.finish()
    run.writer.close()
    return run.live


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [1.0, 0.5, 0.02, 0.0])
def test_a_recorded_run_is_told_as_it_was_lived(
    tmp_path: Path,
    seed: int,
    share: float,
    assert_same_window: Callable[[Window, Window], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    live = _live(tmp_path / "run.db", seed, share)
    for ahead in (20_000, 7):  # heartbeats are read in stretches
        monkeypatch.setattr(module, "_AHEAD", ahead)
        again = Listener()
        with Trace.open(tmp_path / "run.db") as trace:
            frames = tell(trace, again.engine)
            assert frames == len(trace)
        assert len(again.windows) == len(live.windows)
        for one, other in zip(live.windows, again.windows, strict=True):
            assert one.ended == other.ended
            assert_same_window(one, other)


def test_the_end_is_told_with_all_heartbeats(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    for step in range(10):
        writer.pulse(step, 1.0, True, False)
    writer.close()
    listener = Listener()
    with Trace.open(tmp_path / "run.db") as trace:
        assert tell(trace, listener.engine) == 0
    (window,) = listener.windows
    assert (window.ended, window.last_step, len(window.pulse)) == (True, 9, 10)


def test_one_frame_in_so_many_is_told_with_everything_else(tmp_path: Path) -> None:
    _live(tmp_path / "run.db", seed=0, share=1.0, steps=60)
    listener = Listener()
    with Trace.open(tmp_path / "run.db") as trace:
        steps = [step for _, step, *_ in trace.blobs()]
        assert tell(trace, listener.engine, every=25) == len(steps[::25])
        events, epochs, last = trace.events, trace.epochs, trace.last_step
    window = listener.windows[-1]
    assert list(window.steps) == steps[::25]
    assert (len(window.pulse), window.last_step) == (32, last)
    assert (len(window.events), len(window.epochs)) == (len(events), len(epochs))


def test_telling_no_frame_at_all_is_refused(tmp_path: Path) -> None:
    Writer(tmp_path / "run.db").close()
    with (
        Trace.open(tmp_path / "run.db") as trace,
        pytest.raises(ValueError, match="`every` must be at least 1 but got 0"),
    ):
        tell(trace, Listener().engine, every=0)


def test_an_empty_trace_has_an_end(tmp_path: Path) -> None:
    Writer(tmp_path / "run.db").close()
    listener = Listener()
    with Trace.open(tmp_path / "run.db") as trace:
        tell(trace, listener.engine)
    assert [window.ended for window in listener.windows] == [True]


def test_epochs_before_the_first_step_and_after_the_last(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.epoch(Epoch(0, -1, {"val_loss": 3.0}))
    writer.pulse(0, 1.0, True, False)
    writer.epoch(Epoch(1, 0, {"val_loss": 2.0}))
    writer.epoch(Epoch(2, 50, {"val_loss": 1.0}))
    writer.close()
    listener = Listener()
    with Trace.open(tmp_path / "run.db") as trace:
        tell(trace, listener.engine)
    seen = [(len(window.epochs), len(window.pulse)) for window in listener.windows]
    assert seen == [(1, 0), (2, 1), (3, 1), (3, 1)]


def test_a_frame_that_is_not_finite_is_told_so(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    for step in range(400):
        finite = 0.0 if step == 390 else 1.0
        writer.frame(Frame(step, "vitals", {"grad_finite": finite}, {}))
    writer.close()
    listener = Listener()
    with Trace.open(tmp_path / "run.db") as trace:
        tell(trace, listener.engine)
    assert 390 in [window.step for window in listener.windows]


def _rewrite(path: Path, blob: bytes, *, sealed: bool) -> None:
    """Put another blob in the place of the frame of step 3."""
    with sqlite3.connect(path) as db:
        (row,) = db.execute("SELECT step, level, layout FROM frames WHERE step = 3").fetchall()
        crc = checksum(blob, *row) if sealed else 0
        db.execute("UPDATE frames SET data = ?, crc = ? WHERE step = 3", (blob, crc))
    db.close()


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("blob", [b"", b"x", bytes(1000)])
def test_a_damaged_frame_is_named(tmp_path: Path, blob: bytes, sealed: bool) -> None:
    _live(tmp_path / "run.db", seed=0, share=1.0, steps=10)
    _rewrite(tmp_path / "run.db", blob, sealed=sealed)
    listener = Listener()
    with Trace.open(tmp_path / "run.db") as trace, pytest.raises(TraceError, match=r"run\.db"):
        tell(trace, listener.engine)
