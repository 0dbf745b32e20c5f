"""Threads that nobody waits for: a reader that hangs on a slow disk must not keep Ctrl-C waiting.

Those of the standard library are joined when Python ends, and here that could take as long as the
largest trace takes to be read. Nothing is lost with a thread that only reads.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
_Job = tuple[Future[Any], Callable[[], Any]]


class Readers(Executor):
    """A few daemon threads, begun when there is work."""

    def __init__(self, count: int, name: str) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, name=f"{name}-{number}", daemon=True)
            for number in range(count)
        ]
        self._lock = threading.Lock()
        self._begun = self._ended = False

    def submit(
        self,
        fn: Callable[Arguments, Result],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Result]:
        future: Future[Result] = Future()
        with self._lock:
            if self._ended:
                raise RuntimeError("These threads have ended: make new ones.")
            if not self._begun:
                self._begun = True
                for thread in self._threads:
                    thread.start()
            self._jobs.put((future, lambda: fn(*args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work; what waits is cancelled, what has begun is left alone."""
        with self._lock:
            self._ended = True
            while not self._jobs.empty():
                job = self._jobs.get_nowait()
                if job is not None:
                    job[0].cancel()
            for _ in self._threads:
                self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, function = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function())
            except Exception as error:  # noqa: BLE001  # told to whoever waits for the result
                future.set_exception(error)
