from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("calls of Linux", allow_module_level=True)

from paramedic.experiment.sandbox import linux
from tests.experiment.sandbox.forked import forked


def test_what_fails_says_what_it_was() -> None:
    with pytest.raises(OSError, match="mount tmpfs at /not/there"):
        linux.mount("tmpfs", "/not/there", "tmpfs")


def test_a_child_dies_with_its_parent() -> None:
    reader, writer = os.pipe()

    def parent() -> int:
        child = os.fork()
        if child == 0:
            linux.die_with_parent(signal.SIGKILL)
            os.write(writer, b"x")
            time.sleep(60)
        os.read(reader, 1)
        return child

    _, child = forked(parent)
    os.close(writer)
    assert os.read(reader, 1) == b""  # the last one that could write is gone
    os.close(reader)
    assert int(child) > 0


def test_rights_are_given_up_for_good() -> None:
    def given_up() -> bool:
        linux.no_new_privileges()
        if os.geteuid() == 0:
            linux.keep_capabilities(frozenset({0}))
        status = Path("/proc/self/status").read_text()
        (rights,) = re.findall(r"CapEff:\s*(\w+)", status)
        return "NoNewPrivs:\t1" in status and int(rights, 16) <= 1

    assert forked(given_up) == (0, "True")
