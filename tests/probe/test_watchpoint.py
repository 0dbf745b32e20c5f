"""A function that is wrapped while somebody observes it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from paramedic.probe.watchpoint import Watchpoint


def _original(value: int) -> int:
    return value * 2


def _place(
    function: Callable[[int], int] = _original,
) -> tuple[SimpleNamespace, Watchpoint[list[int]]]:
    """An owner of one function, and a watchpoint that tells its observers the argument."""
    owner = SimpleNamespace(double=function)

    def wrapper(value: int) -> int:
        if not watchpoint.inside.now:
            for observer in watchpoint.observers:
                observer.append(value)
        return int(watchpoint.call(value))

    watchpoint: Watchpoint[list[int]] = Watchpoint(owner, "double", wrapper)
    return owner, watchpoint


def _wrap(owner: Any) -> list[str]:
    """Somebody else wraps whatever is there."""
    inner: Callable[[int], int] = owner.double
    calls: list[str] = []

    def theirs(value: int) -> int:
        calls.append("theirs")
        return inner(value)

    owner.double = theirs
    return calls


def test_nothing_is_touched_before_somebody_observes() -> None:
    owner, _ = _place()
    assert owner.double is _original


def test_an_observer_is_told_and_the_result_is_the_same() -> None:
    owner, watchpoint = _place()
    seen: list[int] = []
    watchpoint.observe(seen)
    assert owner.double is not _original
    assert owner.double(4) == 8
    assert seen == [4]
    watchpoint.forget(seen)
    assert owner.double is _original
    assert owner.double(5) == 10
    assert seen == [4]


def test_the_last_one_out_puts_the_original_back() -> None:
    owner, watchpoint = _place()
    first: list[int] = []
    second: list[int] = []
    watchpoint.observe(first)
    watchpoint.observe(second)
    owner.double(1)
    watchpoint.forget(first)
    assert owner.double is not _original
    owner.double(2)
    watchpoint.forget(second)
    assert owner.double is _original
    assert (first, second) == ([1], [1, 2])


def test_observers_are_told_apart_by_identity() -> None:
    owner, watchpoint = _place()
    first: list[int] = []
    equal: list[int] = []
    watchpoint.observe(first)
    watchpoint.observe(equal)
    watchpoint.forget(first)
    owner.double(3)
    assert (first, equal) == ([], [3])
    watchpoint.forget(equal)


def test_forgetting_a_stranger_or_twice_changes_nothing() -> None:
    owner, watchpoint = _place()
    seen: list[int] = []
    watchpoint.forget(seen)
    assert owner.double is _original
    watchpoint.observe(seen)
    watchpoint.forget([1])
    owner.double(1)
    assert seen == [1]
    watchpoint.forget(seen)
    watchpoint.forget(seen)
    assert owner.double is _original


def test_again_and_again() -> None:
    owner, watchpoint = _place()
    for turn in range(3):
        seen: list[int] = []
        watchpoint.observe(seen)
        owner.double(turn)
        watchpoint.forget(seen)
        assert seen == [turn]
        assert owner.double is _original


def test_what_somebody_wrapped_before_us_stays_in_the_chain() -> None:
    owner, watchpoint = _place()
    calls = _wrap(owner)
    theirs = owner.double
    seen: list[int] = []
    watchpoint.observe(seen)
    assert owner.double(4) == 8
    assert (calls, seen) == (["theirs"], [4])
    watchpoint.forget(seen)
    assert owner.double is theirs


def _countdown() -> tuple[SimpleNamespace, Watchpoint[list[int]]]:
    """A function that calls itself by its public name, as a re-entrant backward pass does."""

    def countdown(value: int) -> int:
        return 0 if value == 0 else 1 + int(owner.double(value - 1))

    owner, watchpoint = _place(countdown)
    return owner, watchpoint


def test_a_call_within_a_call_is_told_once() -> None:
    owner, watchpoint = _countdown()
    seen: list[int] = []
    watchpoint.observe(seen)
    assert owner.double(3) == 3
    assert seen == [3]
    assert not watchpoint.inside.now
    assert owner.double(2) == 2
    assert seen == [3, 2]


def test_a_call_within_a_call_still_passes_what_was_wrapped_before_us() -> None:
    owner, watchpoint = _countdown()
    calls = _wrap(owner)
    assert owner.double(3) == 3
    assert len(calls) == 4  # without us
    calls.clear()
    seen: list[int] = []
    watchpoint.observe(seen)
    assert owner.double(3) == 3
    assert len(calls) == 4


def test_an_error_ends_the_call() -> None:
    owner, watchpoint = _place()

    def fails(value: int) -> int:
        raise ValueError("no")

    owner.double = fails
    seen: list[int] = []
    watchpoint.observe(seen)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            owner.double(1)
    assert seen == [1, 1]
    assert not watchpoint.inside.now


def test_what_somebody_wraps_around_us_is_not_taken_out() -> None:
    owner, watchpoint = _place()
    seen: list[int] = []
    watchpoint.observe(seen)
    calls = _wrap(owner)
    theirs = owner.double
    watchpoint.forget(seen)
    assert owner.double is theirs
    assert owner.double(4) == 8
    assert (calls, seen) == (["theirs"], [])


def test_observing_again_below_somebody_else_tells_once() -> None:
    owner, watchpoint = _place()
    first: list[int] = []
    second: list[int] = []
    watchpoint.observe(first)
    calls = _wrap(owner)
    watchpoint.forget(first)
    watchpoint.observe(second)
    assert owner.double(4) == 8
    assert (calls, first, second) == (["theirs"], [], [4])


def test_the_original_comes_back_after_somebody_else_has_left() -> None:
    owner, watchpoint = _place()
    seen: list[int] = []
    watchpoint.observe(seen)
    ours = owner.double
    _wrap(owner)
    watchpoint.forget(seen)
    owner.double = ours  # they unwrap
    watchpoint.observe(seen)
    owner.double(1)
    assert seen == [1]
    watchpoint.forget(seen)
    assert owner.double is _original


def test_somebody_else_takes_us_out() -> None:
    owner, watchpoint = _place()
    _wrap(owner)
    first: list[int] = []
    second: list[int] = []
    watchpoint.observe(first)
    owner.double = _original  # they unwrap, and us with them
    watchpoint.forget(first)
    watchpoint.observe(second)
    assert owner.double(3) == 6
    assert second == [3]


def test_many_threads_leave_nothing_behind() -> None:
    owner, watchpoint = _place()
    missed: list[int] = []

    def work(number: int) -> None:
        for _ in range(50):
            seen: list[int] = []
            watchpoint.observe(seen)
            owner.double(number)
            watchpoint.forget(seen)
            if number not in seen:
                missed.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missed == []
    assert watchpoint.observers == ()
    assert owner.double is _original


def test_who_began_in_a_thread_hears_that_thread_alone() -> None:
    _, watchpoint = _place()
    here: list[int] = []
    there: list[int] = []
    watchpoint.observe(here)
    assert watchpoint.listeners == (here,)
    seen = []

    def elsewhere() -> None:
        seen.append(watchpoint.listeners)  # nobody else yet: everything concerns everybody
        watchpoint.observe(there)
        seen.append(watchpoint.listeners)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert [list(map(id, one)) for one in seen] == [[id(here)], [id(there)]]
    assert list(map(id, watchpoint.listeners)) == [id(here)]
    watchpoint.forget(there)
    watchpoint.forget(here)
    assert watchpoint.listeners == ()
