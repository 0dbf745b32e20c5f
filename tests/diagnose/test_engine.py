from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paramedic.diagnose import engine as module
from paramedic.diagnose.case import Case
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.engine import Engine
from paramedic.diagnose.jumps import JUMP
from paramedic.diagnose.rules import choose
from paramedic.types import Chart, Epoch, Event, Frame, Layer, Severity, Window
from tests.diagnose.scripted import finding, scripted


def _frame(step: int, **scalars: float) -> Frame:
    values = {"loss": 1.0, "loss_finite": 1.0, "grad_finite": 1.0, **scalars}
    return Frame(step, "vitals", values, {"grad_norm": np.ones(1, np.float32)})


def _run(engine: Engine, steps: Sequence[int]) -> None:
    engine.chart(Chart(layers=(Layer("fc", "Linear"),)))
    for step in steps:
        engine.pulse(step, 1.0, True, False)
        engine.frame(_frame(step))


class Watcher:
    """Notes the windows it is asked about, and finds what it is told to."""

    def __init__(self, answer: Callable[[int], Any] = lambda visit: None) -> None:
        self.windows: list[Window] = []
        self._answer = answer

    def __call__(self, window: Window) -> Any:
        self.windows.append(window)
        return self._answer(len(self.windows))

    @property
    def steps(self) -> list[int]:
        return [window.last_step for window in self.windows]


# -- when to examine -------------------------------------------------------------------------------


def test_a_frame_is_examined_when_the_next_thing_is_told() -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    _run(engine, [0])
    assert watcher.steps == []
    assert engine.waits
    engine.event(Event(0, "non-finite", "belongs to the frame that waits"))
    engine.pulse(1, 2.0, True, False)
    assert watcher.steps == [0]
    assert len(watcher.windows[0].events) == 1
    assert not engine.waits


def test_first_every_frame_then_fewer_and_never_too_few() -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    _run(engine, range(3000))
    engine.finish()
    steps = watcher.steps[:-1]
    assert steps[:8] == list(range(8))
    gaps = np.diff(steps)
    assert (gaps <= module._MOST).all()
    assert (gaps <= np.maximum(1, np.array(steps[1:]) / module._SHARE)).all()
    assert gaps[-2] == module._MOST  # the last gap may be cut by the end of the run
    assert module._MOST <= 64  # what a window shows: every frame is in one that is examined
    assert watcher.windows[-1].ended
    assert watcher.steps[-1] == 2999


def test_every_frame_means_every_frame() -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)], every_frame=True)
    _run(engine, range(500))
    engine.settle()
    assert watcher.steps == list(range(500))


def test_is_due_says_when_the_next_frame_counts() -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    for step in range(200):
        due = engine.is_due
        _run(engine, [step])
        assert engine.waits == due
        engine.settle()
    assert len(watcher.windows) < 200


@pytest.mark.parametrize("name", ["loss_finite", "grad_finite"])
def test_a_frame_that_is_not_finite_is_examined_at_once(name: str) -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    _run(engine, range(1000))
    engine.settle()
    before = len(watcher.windows)
    while engine.is_due:
        _run(engine, [engine.window().last_step + 1])
    step = engine.window().last_step + 1
    engine.frame(_frame(step, **{name: 0.0}))
    engine.settle()
    assert watcher.steps[-1] == step
    assert len(watcher.windows) > before


def test_epochs_are_examined_too() -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    for epoch in range(100):
        engine.epoch(Epoch(epoch, epoch, {"val_loss": 1.0}))
    counts = [len(window.epochs) for window in watcher.windows]
    assert counts[:64] == list(range(1, 65))
    assert counts[64:68] == [66, 68, 70, 72]


def test_an_epoch_settles_the_frame_before_it() -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    _run(engine, [0])
    engine.epoch(Epoch(0, 0, {"val_loss": 1.0}))
    assert [len(window.epochs) for window in watcher.windows] == [0, 1]


def test_the_end_comes_once_more_with_ended() -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    _run(engine, [0])
    engine.finish()
    assert [window.ended for window in watcher.windows] == [False, True]


def test_what_was_derived_before_the_end_is_derived_again() -> None:
    seen: list[bool] = []
    engine = Engine([scripted(lambda window: seen.append(window.derive(lambda one: one.ended)))])
    engine.finish()
    assert seen == [True]


# -- what is seen ----------------------------------------------------------------------------------


def test_fresh_frames_are_in_the_window() -> None:
    engine = Engine(frames=4)
    _run(engine, range(10))
    assert engine.window().steps.tolist() == [6, 7, 8, 9]
    assert len(engine.window().pulse) == 10


def test_an_amended_loss_is_what_is_judged() -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    _run(engine, [0])
    engine.amend_loss(7.0, True)
    engine.pulse(1, 1.0, True, False)
    (window,) = watcher.windows
    assert window.pulse.loss.tolist()[0] == 7.0
    assert window.scalar("loss").tolist() == [7.0]
    engine.amend_loss(math.inf, False)  # a heartbeat without a frame
    assert engine.window().pulse.finite.tolist() == [True, False]
    assert engine.window().scalar("loss").tolist() == [7.0]


@pytest.mark.parametrize(("before", "after"), [(1.0, math.inf), (math.inf, 1.0)])
def test_what_is_examined_goes_by_the_amended_loss(before: float, after: float) -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    _run(engine, range(1000))
    engine.settle()
    while engine.is_due:
        _run(engine, [engine.window().last_step + 1])
    step = engine.window().last_step + 1
    engine.pulse(step, before, math.isfinite(before), False)
    engine.frame(_frame(step, loss=before, loss_finite=float(math.isfinite(before))))
    engine.amend_loss(after, math.isfinite(after))
    assert engine.waits is not math.isfinite(after)


def test_a_loss_is_final_once_an_epoch_has_ended() -> None:
    """As in the trace; else a replay would judge other numbers."""
    engine = Engine([])
    _run(engine, [0])
    engine.epoch(Epoch(0, 0, {}))
    before = engine.window().pulse.loss.tolist()
    engine.amend_loss(7.0, True)
    assert engine.window().pulse.loss.tolist() == before
    engine.pulse(1, 1.0, True, False)
    engine.amend_loss(7.0, True)
    assert engine.window().pulse.loss.tolist() == [*before, 7.0]


# -- debounce --------------------------------------------------------------------------------------


def _visits(detector: Detector, count: int, engine: Engine | None = None) -> Engine:
    engine = engine or Engine([detector], every_frame=True)
    _run(engine, range(count))
    engine.settle()
    return engine


@pytest.mark.parametrize("patience", [1, 2, 5])
def test_a_case_opens_after_patience(patience: int) -> None:
    opened: list[Case] = []
    detector = scripted(lambda window: True, patience=patience)
    engine = Engine([detector], on_open=opened.append)
    _visits(detector, 8, engine)
    assert [case.opened for case in opened] == [patience - 1]
    assert opened == engine.cases
    assert opened[0].seen == 7


def test_patience_means_in_a_row() -> None:
    detector = scripted(lambda window: window.step % 2 == 0, patience=2)
    assert _visits(detector, 12).cases == []


def test_a_case_is_kept_up_to_date_and_keeps_its_step() -> None:
    engine = _visits(scripted(), 6)
    (case,) = engine.cases
    assert (case.finding.step, case.opened, case.seen) == (0, 0, 5)
    assert case.finding.evidence["step_seen"] == 5


def test_a_case_closes_after_four_absent_and_may_open_again() -> None:
    sick = {0, 1, 5, 6, 11}  # absent for three, then for four examinations
    engine = _visits(scripted(lambda window: window.step in sick), 12)
    first, second = engine.cases
    assert (first.opened, first.seen, first.closed) == (0, 6, 10)
    assert (second.opened, second.is_open) == (11, True)
    assert len(engine.findings) == 1  # one sickness that came back


def test_a_lasting_sickness_never_closes() -> None:
    engine = _visits(scripted(lambda window: window.step == 0, lasting=True), 12)
    assert [case.is_open for case in engine.cases] == [True]


def test_a_window_in_which_something_is_missing_changes_nothing() -> None:
    def missing(self: Detector, window: Window) -> str | None:
        return "too early" if window.step > 0 else None

    engine = _visits(scripted(lambda window: True, missing=missing), 12)
    assert [case.is_open for case in engine.cases] == [True]
    assert engine.not_checked == {}


# -- isolation -------------------------------------------------------------------------------------


def _boom(window: Window) -> None:
    raise RuntimeError("boom")


def _found(**changes: Any) -> Callable[[Window], Any]:
    honest = scripted()

    def examine(window: Window) -> Any:
        finding = honest.examine(window)
        assert finding is not None
        return replace(finding, **changes)

    return examine


@pytest.mark.parametrize(
    ("examine", "words"),
    [
        (_boom, "RuntimeError: boom"),
        (lambda window: "rubbish", "'rubbish' instead of a Finding"),
        (_found(slug="another"), "another"),
        (_found(code="Z999"), "Z999"),
        (_found(confidence=2.0), "2.0, not between 0 and 1"),
        (_found(confidence=-0.1), "-0.1, not between 0 and 1"),
        (_found(confidence=math.nan), "nan"),
        (_found(confidence="high"), "'high'"),
    ],
)
def test_a_detector_that_fails_is_told_once_and_the_others_go_on(
    examine: Callable[[Window], Any], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    good = Watcher(lambda visit: True)
    bad = scripted(examine)
    engine = Engine([bad, scripted(good, slug="good", code="X002")], every_frame=True)
    with caplog.at_level(logging.WARNING, logger="paramedic"):
        _visits(bad, 10, engine)
    (record,) = caplog.records
    assert words in record.getMessage()
    assert words in engine.not_checked["scripted"]
    assert engine.not_checked["scripted"].startswith("switched off: ")
    assert len(good.windows) == 10
    assert [case.finding.slug for case in engine.cases] == ["good"]


def test_missing_may_fail_too(caplog: pytest.LogCaptureFixture) -> None:
    def missing(self: Detector, window: Window) -> str | None:
        raise ZeroDivisionError

    engine = _visits(scripted(missing=missing), 5)
    assert "ZeroDivisionError" in engine.not_checked["scripted"]
    assert len(caplog.records) == 1


def test_a_slow_detector_is_switched_off(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "thread_time", lambda: now[0])
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])

    def slow(window: Window) -> bool:
        now[0] += 0.3
        return True

    watcher = Watcher()
    engine = Engine([scripted(slow), scripted(watcher, slug="quick", code="X002")])
    _visits(engine.detectors[0], 5, engine)
    assert engine.cases == []
    assert "0.30 s" in engine.not_checked["scripted"]
    assert len(caplog.records) == 1
    assert len(watcher.windows) == 5


def test_a_busy_machine_makes_no_detector_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "thread_time", lambda: 0.0)
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])

    def waiting(window: Window) -> bool:
        now[0] += 0.3
        return True

    engine = Engine([scripted(waiting)])
    _visits(engine.detectors[0], 5, engine)
    assert len(engine.cases) == 1


def test_without_a_limit_each_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "thread_time", lambda: now[0])
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])

    def slow(window: Window) -> bool:
        now[0] += 3600.0
        return True

    engine = Engine([scripted(slow)], slow=None)
    _visits(engine.detectors[0], 5, engine)
    assert len(engine.cases) == 1


def test_what_was_found_before_a_failure_stays() -> None:
    def examine(window: Window) -> bool:
        if window.step > 3:
            raise RuntimeError("boom")
        return True

    engine = _visits(scripted(examine), 8)
    assert [case.seen for case in engine.cases] == [3]


# -- what was not checked --------------------------------------------------------------------------


def test_before_anything_was_seen() -> None:
    assert Engine([scripted()]).not_checked == {"scripted": "nothing was seen yet"}


def test_a_statistic_that_is_not_measured_is_named() -> None:
    needs = frozenset({"grad_norm", "weight_norm", "act_dead"})
    engine = _visits(scripted(needs=needs), 3)
    assert engine.not_checked == {"scripted": "act_dead, weight_norm: not measured"}


def test_the_chart_may_know_why_activations_are_missing() -> None:
    engine = Engine([scripted(needs=frozenset({"act_dead"}))])
    engine.chart(Chart(not_checked={"activations": "the model is compiled"}))
    engine.frame(_frame(0))
    engine.settle()
    why = "activations were not measured: the model is compiled"
    assert engine.not_checked == {"scripted": why}


def test_a_detector_may_say_what_is_missing_until_it_is_there() -> None:
    def missing(self: Detector, window: Window) -> str | None:
        return f"only {len(window)} frames" if len(window) < 3 else None

    engine = Engine([scripted(lambda window: None, missing=missing)])
    _run(engine, range(2))
    engine.settle()
    assert engine.not_checked == {"scripted": "only 2 frames"}
    _run(engine, [2])
    engine.settle()
    assert engine.not_checked == {}
    assert engine.diagnosis().health == "healthy"


def test_what_is_not_finite_is_examined_even_if_its_step_was_not_looked_at() -> None:
    engine = Engine(choose(select=["N001"]))
    for step in range(5):
        engine.pulse(step, 1.0, True, False)
    engine.pulse(5, float("nan"), False, False)
    engine.event(Event(5, "non-finite", "Step 5: it is NaN.", {}))
    assert engine.waits
    engine.pulse(6, float("nan"), False, False)
    assert [(case.finding.slug, case.opened) for case in engine.cases] == [("non-finite", 5)]


def test_what_was_not_found_again_is_not_current() -> None:
    engine = Engine(choose(select=["N001"]))
    engine.pulse(0, float("nan"), False, False)
    engine.event(Event(0, "non-finite", "Step 0: it is NaN.", {}))
    engine.settle()
    assert [one.slug for one in engine.current().findings] == ["non-finite"]
    assert engine.current(since=1).findings == ()


def test_a_jump_is_examined_at_once() -> None:
    watcher = Watcher()
    engine = Engine([scripted(watcher)])
    _run(engine, range(1000))
    engine.settle()
    while engine.is_due:
        _run(engine, [engine.window().last_step + 1])
    engine.settle()
    step = engine.window().last_step + 1
    _run(engine, [step])
    assert not engine.waits
    engine.event(Event(step, JUMP, "", {}))
    _run(engine, [step + 1, step + 2, step + 3])
    engine.settle()
    assert watcher.steps[-3:-1] == [step, step + 1]


def test_a_note_that_becomes_grave_is_told_anew() -> None:
    told: list[Severity] = []
    grave = iter([Severity.INFO] * 3 + [Severity.WARNING] * 5)
    detector = scripted(lambda window: finding("scripted", code="X000", severity=next(grave)))
    engine = Engine([detector], every_frame=True, on_open=lambda c: told.append(c.finding.severity))
    _run(engine, range(8))
    engine.settle()
    assert told == [Severity.INFO, Severity.WARNING]
    assert [case.is_open for case in engine.cases] == [False, True]
