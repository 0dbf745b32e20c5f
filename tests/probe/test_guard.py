"""Errors of ours end a part, not the training; and what watching costs adds up."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from paramedic.probe import guard as guard_module
from paramedic.probe.guard import Guard, aside, harmless


class Clock:
    """Only moves when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(guard_module, "perf_counter", clock.perf_counter)
    return clock


class Worker:
    """Has methods that run aside."""

    def __init__(self, *, strict: bool = False, clock: Clock | None = None) -> None:
        self.guard = Guard(strict=strict)
        self.clock = clock or Clock()
        self.calls = 0
        self.inside = 0.0

    @aside("work")
    def work(self, seconds: float = 0.0, *, error: BaseException | None = None) -> None:
        """Work for some seconds."""
        self.calls += 1
        self.clock.now += seconds
        self.inside = self.guard.spent(self.clock.now)
        if error is not None:
            raise error

    @aside("rest")
    def rest(self) -> None:
        self.calls += 1


def _fails(*args: Any) -> Any:
    raise ZeroDivisionError("a bug of ours")


def test_an_error_is_logged_once_and_switches_the_part_off(
    caplog: pytest.LogCaptureFixture,
) -> None:
    worker = Worker()
    with caplog.at_level(logging.WARNING, "paramedic"):
        for _ in range(3):
            worker.work(error=KeyError("gone"))
    assert worker.calls == 1
    assert worker.guard.disabled == {"work": "KeyError: 'gone'"}
    assert len(caplog.records) == 1
    assert "`work`" in caplog.records[0].getMessage()
    assert "training goes on" in caplog.records[0].getMessage()
    assert "(KeyError: 'gone')" in caplog.records[0].getMessage()
    assert caplog.records[0].exc_info is None  # a line, not a traceback, on somebody's terminal


def test_all_of_an_error_is_there_for_those_who_look_for_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG, "paramedic"):
        Worker().work(error=KeyError("gone"))
    assert caplog.records[1].exc_info is not None


def test_a_hook_of_the_program_is_harmless(caplog: pytest.LogCaptureFixture) -> None:
    class Hooked:
        def __init__(self, *, strict: bool) -> None:
            self.guard = Guard(strict=strict)

        @harmless("hook")
        def on_call(self) -> None:
            _fails()

    hooked = Hooked(strict=False)
    for _ in range(2):
        hooked.on_call()
    assert [one.levelname for one in caplog.records] == ["WARNING"]
    assert hooked.guard.disabled == {"hook": "ZeroDivisionError: a bug of ours"}
    with pytest.raises(ZeroDivisionError):
        Hooked(strict=True).on_call()


def test_the_other_parts_go_on(caplog: pytest.LogCaptureFixture) -> None:
    worker = Worker()
    with caplog.at_level(logging.ERROR, "paramedic"):
        worker.work(error=ValueError("no"))
    worker.rest()
    worker.rest()
    assert worker.calls == 3


def test_guards_do_not_share_what_is_off(caplog: pytest.LogCaptureFixture) -> None:
    broken, whole = Worker(), Worker()
    broken.work(error=ValueError("no"))
    whole.work()
    assert whole.calls == 1
    assert whole.guard.disabled == {}


def test_strict_raises(caplog: pytest.LogCaptureFixture) -> None:
    worker = Worker(strict=True)
    with pytest.raises(KeyError, match="gone"):
        worker.work(error=KeyError("gone"))
    assert worker.guard.disabled == {}
    worker.work()
    assert worker.calls == 2
    assert caplog.records == []


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1)])
def test_the_user_can_always_interrupt(error: BaseException, clock: Clock) -> None:
    worker = Worker(clock=clock)
    with pytest.raises(type(error)):
        worker.work(2.0, error=error)
    assert worker.guard.disabled == {}
    assert worker.guard.seconds == 2.0


def test_time_adds_up(clock: Clock) -> None:
    worker = Worker(clock=clock)
    worker.work(0.25)
    clock.now += 50.0  # the user's own time
    worker.work(0.5)
    assert worker.guard.seconds == 0.75
    assert worker.inside == 0.75  # as seen from within the second call


def test_time_counts_when_it_fails_and_not_when_it_is_off(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    worker = Worker(clock=clock)
    worker.work(0.5, error=ValueError("no"))
    assert worker.guard.seconds == 0.5
    worker.work(9.0)
    assert worker.guard.seconds == 0.5
    assert clock.now == 100.5


def test_attempt_hands_on_arguments_and_result() -> None:
    guard = Guard(strict=False)
    assert guard.attempt("sum", sum, [1, 2], start=3) == 6
    assert guard.disabled == {}


def test_attempt_gives_none_from_the_first_failure_on(caplog: pytest.LogCaptureFixture) -> None:
    guard = Guard(strict=False)
    assert guard.attempt("part", _fails) is None
    assert guard.attempt("part", sum, [1]) is None
    assert guard.attempt("other", sum, [1]) == 1
    assert guard.disabled == {"part": "ZeroDivisionError: a bug of ours"}
    assert len(caplog.records) == 1


def test_attempt_raises_when_strict() -> None:
    with pytest.raises(ZeroDivisionError):
        Guard(strict=True).attempt("part", _fails)


def test_a_method_that_runs_aside_keeps_its_name() -> None:
    assert Worker.work.__name__ == "work"
    assert Worker.work.__doc__ == "Work for some seconds."
