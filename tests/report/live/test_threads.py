"""Threads that nobody waits for."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from paramedic.report.live.threads import Readers

# Ends although one of its threads would need a minute.
HANGS = """
import threading
from paramedic.report.live.threads import Readers
begun = threading.Event()
readers = Readers(2, "test")
readers.submit(lambda: (begun.set(), threading.Event().wait(60)))
begun.wait()
"""


def test_results_and_errors_come_back() -> None:
    readers = Readers(2, "test")
    assert list(readers.map(lambda one: one + 1, range(50))) == list(range(1, 51))
    with pytest.raises(ZeroDivisionError):
        readers.submit(lambda: 1 / 0).result(10)
    assert readers.submit(int, "7", base=8).result(10) == 7
    readers.shutdown()


def test_what_waits_is_cancelled_and_the_threads_end() -> None:
    readers, go, begun = Readers(1, "only"), threading.Event(), threading.Event()
    first = readers.submit(lambda: (begun.set(), go.wait(10)))
    second = readers.submit(time.time)
    assert begun.wait(10)
    readers.shutdown()
    assert second.cancelled()
    with pytest.raises(RuntimeError, match="have ended"):
        readers.submit(time.time)
    go.set()
    assert first.result(10) == (None, True)
    end = time.monotonic() + 10
    while any(thread.name == "only-0" for thread in threading.enumerate()):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_thread_that_hangs_does_not_keep_python() -> None:
    begin = time.monotonic()
    subprocess.run([sys.executable, "-c", HANGS], check=True, timeout=50)
    assert time.monotonic() - begin < 30
