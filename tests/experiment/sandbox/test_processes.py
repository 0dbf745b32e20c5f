from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from paramedic.experiment.sandbox.limits import Limits
from paramedic.experiment.sandbox.processes import (
    ABANDONED,
    TIME,
    Group,
    Wanted,
    close_all_but,
    reap,
    supervise,
)
from tests.experiment.sandbox.forked import forked


def _supervised(seconds: float = 55, alive: int | None = None, **given: float) -> object:
    """In a process of its own: a child that starts a daemon, then sleeps or ends."""
    if sys.platform == "linux":
        from paramedic.experiment.sandbox import linux

        linux.adopt_orphans()
    reader, writer = os.pipe()
    leader = os.fork()
    if leader == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            os.write(writer, str(os.getpid()).encode())
            time.sleep(60)
        time.sleep(given.get("sleep", 0))
        os._exit(3)
    daemon = int(os.read(reader, 10))
    found = supervise(Group(leader, False), Limits(seconds), Wanted(os.getppid(), alive))
    try:
        os.kill(daemon, 0)
    except ProcessLookupError:
        return *found, "gone"
    return *found, "still there"


@pytest.mark.skipif(sys.platform != "linux", reason="who adopts orphans is told only by Linux")
def test_all_of_a_group_ends() -> None:
    assert forked(_supervised) == (0, str((3, "", "gone")))


@pytest.mark.skipif(sys.platform != "linux", reason="who adopts orphans is told only by Linux")
def test_out_of_time() -> None:
    assert forked(lambda: _supervised(0.3, sleep=60)) == (0, str((137, TIME, "gone")))


@pytest.mark.skipif(sys.platform != "linux", reason="who adopts orphans is told only by Linux")
def test_nobody_waits_any_more() -> None:
    reader, writer = os.pipe()
    os.close(writer)
    found = forked(lambda: _supervised(alive=reader, sleep=60))
    os.close(reader)
    assert found == (0, str((137, ABANDONED, "gone")))


def test_a_signal_that_ended_it() -> None:
    def first() -> int:
        child = os.fork()
        if child == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return reap(child)

    assert forked(first) == (0, "137")


def test_what_was_inherited_is_let_go() -> None:
    reader, writer = os.pipe()
    other = os.open(os.devnull, os.O_RDONLY)

    def closed() -> list[int]:
        said = os.dup(writer)
        close_all_but([said, 70])
        left = [one for one in range(3, 100) if _is_open(one)]
        os.write(said, str(left == [said]).encode())
        os._exit(0)

    forked(closed)
    assert os.read(reader, 10) == b"True"
    for one in (reader, writer, other):
        os.close(one)


def _is_open(one: int) -> bool:
    try:
        os.fstat(one)
    except OSError:
        return False
    return True
