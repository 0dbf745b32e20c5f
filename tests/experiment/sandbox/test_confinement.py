from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("Landlock is of Linux", allow_module_level=True)

from paramedic.experiment.sandbox import How
from paramedic.experiment.sandbox.confinement import confine
from tests.experiment.sandbox.forked import forked
from tests.experiment.sandbox.world import require


def test_no_library_gets_around_it(tmp_path: Path) -> None:
    """Not C, and not another program."""
    require(How.LANDLOCK)
    private, others = tmp_path / "private", tmp_path / "others"
    private.mkdir()
    others.mkdir()
    (others / "file").write_text("file")

    def inside() -> object:
        confine(str(private))
        libc = ctypes.CDLL(None, use_errno=True)
        by_c = libc.open(os.fsencode(others / "file"), os.O_WRONLY | os.O_TRUNC)
        by_shell = subprocess.run(["rm", "-rf", others / "file"], stderr=subprocess.DEVNULL)
        try:
            socket.socket(socket.AF_INET)
            network = True
        except PermissionError:
            network = False
        (private / "new").write_text("x")
        (private / "new").rename(private / "other")
        socket.socketpair()[0].close()
        Path("/dev/null").write_text("x")
        return by_c, by_shell.returncode, network, (others / "file").read_text()

    assert forked(inside) == (0, str((-1, 1, False, "file")))


def test_other_processes_get_no_signals(tmp_path: Path) -> None:
    require(How.LANDLOCK)
    from paramedic.experiment.sandbox import linux

    if linux.landlock_version() < 6:
        pytest.skip("this Landlock knows no signals")

    def inside() -> str:
        confine(str(tmp_path))
        try:
            os.kill(os.getppid(), 0)
        except PermissionError:
            return "refused"
        return "sent"

    assert forked(inside) == (0, "refused")
