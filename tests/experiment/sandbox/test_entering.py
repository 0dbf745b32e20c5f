"""What a process that was just forked finds when it has gone in."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import How, Limits
from paramedic.experiment.sandbox.entering import Terms, enter
from tests.experiment.sandbox.world import require

EACH = pytest.mark.parametrize("how", list(How))


def _entered(
    tmp_path: Path, how: How, action: Callable[[], str], **limits: float
) -> tuple[int, str, str]:
    """The exit code, what the process says, and what is told at the end."""
    require(how)
    reader, writer = os.pipe()
    told = tmp_path / "told"
    terms = Terms(
        how, str(tmp_path / "private"), Limits(**{"seconds": 55, **limits})  # type: ignore[arg-type]
    )  # fmt: skip
    told_to = os.open(told, os.O_CREAT | os.O_WRONLY)

    def at_end(*found: object) -> None:
        os.write(told_to, repr(found).encode())

    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            enter(terms, at_end=at_end, outside=[told_to], keep=[writer])
            os.write(writer, action().encode())
        except BaseException as error:  # noqa: BLE001 - told to the test
            os.write(writer, repr(error).encode())
            os._exit(1)
        os._exit(7)
    os.close(writer)
    os.close(told_to)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, said, told.read_text()


@EACH
def test_it_goes_on_in_private(tmp_path: Path, how: How) -> None:
    held = [1, 2, 3]
    (tmp_path / "file").write_text("mine")

    def action() -> str:
        (tmp_path / "private" / "mine").write_text("x")
        try:
            (tmp_path / "file").write_text("changed")
        except OSError:
            return f"{held} refused"
        return f"{held} {(tmp_path / 'file').read_text()}"

    code, said, told = _entered(tmp_path, how, action)
    assert said == f"{held} {'changed' if how is How.NAMESPACES else 'refused'}"
    assert (code, told) == (7, "(7, '')")
    assert (tmp_path / "file").read_text() == "mine"
    assert not (tmp_path / "private").exists()


@EACH
def test_its_time_is_limited(tmp_path: Path, how: How) -> None:
    code, _, told = _entered(tmp_path, how, lambda: time.sleep(60) or "", seconds=0.3)  # type: ignore[func-returns-value]
    assert (code, told) == (137, "(137, 'time')")


@EACH
def test_it_ends_with_whoever_has_forked_it(tmp_path: Path, how: How) -> None:
    """Also when that one is killed."""
    require(how)
    if sys.platform != "linux":
        pytest.skip("only Linux tells that a parent has ended")
    reader, writer = os.pipe()
    parent = os.fork()
    if parent == 0:
        if os.fork() == 0:
            enter(Terms(how, str(tmp_path / "private")), keep=[writer])
            os.write(writer, b"in")
            time.sleep(60)
        os.close(writer)
        time.sleep(60)
    os.close(writer)
    assert os.read(reader, 2) == b"in"
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    assert os.read(reader, 2) == b""  # nobody is left
    os.close(reader)
    end = time.monotonic() + 50
    while (tmp_path / "private").exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert not (tmp_path / "private").exists()
