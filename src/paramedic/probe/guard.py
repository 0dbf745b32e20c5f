"""The promise that watching never stops a training: errors of ours end that part, not the run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from threading import RLock
from time import perf_counter, thread_time
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from paramedic.probe.isolation import tell
from paramedic.probe.unseen import Unseen

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


_OPEN: AbstractContextManager[Any] = nullcontext()


class Guard:
    """Keeps account of what watching costs and of the parts that had to be switched off."""

    def __init__(self, *, strict: bool, shared: bool = False) -> None:
        self.strict = strict
        # What several threads of the program come to, one after the other.
        self.lock: AbstractContextManager[Any] = RLock() if shared else _OPEN
        self.seconds = 0.0  # spent by us so far
        self.entered = 0.0  # when the method that is running began
        # Seconds of the processor among them, where somebody wants to know: asking takes its time.
        self.clocks_processor = False
        self.processor = self.entered_processor = 0.0
        self.disabled: dict[str, str] = {}  # part -> why

    def spent(self, now: float) -> float:
        """The seconds spent up to `now`, inside a method that runs `aside`."""
        return self.seconds + now - self.entered

    def worked(self) -> float:
        """The seconds of the processor spent up to now, inside a method that runs `aside`."""
        return self.processor + thread_time() - self.entered_processor

    def attempt(
        self,
        part: str,
        function: Callable[Arguments, Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result | None:
        """What `function` returns, or None if `part` is switched off or fails now."""
        if part in self.disabled:
            return None
        try:
            with self.lock, Unseen():
                return function(*args, **kwargs)
        except Exception as error:
            if self.strict:
                raise
            self.disable(part, error)
            return None

    def disable(self, part: str, error: Exception) -> None:
        """Switch `part` off for good, saying so once."""
        self.disabled[part] = f"{type(error).__name__}: {error}"
        tell(part, error)

    def failed(self, part: str, error: Exception) -> None:
        """Something failed where not even a call of this guard fits in."""
        if self.strict:
            raise error
        if part not in self.disabled:
            self.disable(part, error)


class Guarded(Protocol):
    """Whoever has a guard."""

    @property
    def guard(self) -> Guard:
        """Keeps the accounts."""


Owner = TypeVar("Owner", bound=Guarded)


def aside(
    part: str,
) -> Callable[[Callable[Concatenate[Owner, Arguments], None]], Callable[..., None]]:
    """Mark a method that runs beside the training: timed, and isolated from it as `part`."""

    def decorate(method: Callable[Concatenate[Owner, Arguments], None]) -> Callable[..., None]:
        @functools.wraps(method)
        def isolated(self: Owner, *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
            guard = self.guard
            if part in guard.disabled:
                return
            guard.entered = begin = perf_counter()
            guard.entered_processor = work = thread_time() if guard.clocks_processor else 0.0
            try:
                if guard.lock is _OPEN:
                    with Unseen():
                        method(self, *args, **kwargs)
                else:
                    with guard.lock, Unseen():
                        method(self, *args, **kwargs)
            except Exception as error:
                if guard.strict:
                    raise
                guard.disable(part, error)
            finally:
                guard.seconds += perf_counter() - begin
                if work:
                    guard.processor += thread_time() - work

        return isolated

    return decorate


def harmless(
    part: str,
) -> Callable[[Callable[Concatenate[Owner, Arguments], None]], Callable[..., None]]:
    """Mark a method that the program calls, by hooks say: isolated from it, and nothing else."""

    def decorate(method: Callable[Concatenate[Owner, Arguments], None]) -> Callable[..., None]:
        @functools.wraps(method)
        def survived(self: Owner, *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
            try:
                method(self, *args, **kwargs)
            except Exception as error:  # noqa: BLE001 - raised again if the guard is strict
                self.guard.failed(part, error)

        return survived

    return decorate
