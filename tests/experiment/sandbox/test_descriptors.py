from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path

import pytest

from paramedic.experiment.sandbox.descriptors import privatise
from tests.experiment.sandbox.forked import forked

pytestmark = pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="files are found by /proc"
)


def test_the_place_in_a_file_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("one\ntwo\nthree\n")
    reader, writer = os.pipe()
    with open(tmp_path / "data", "rb", buffering=0) as file:
        assert file.readline() == b"one\n"

        def inside() -> None:
            privatise([writer])
            os.write(writer, file.readline() + file.readline())
            os._exit(0)

        forked(inside)
        assert file.readline() == b"two\n"
    assert os.read(reader, 100) == b"two\nthree\n"
    os.close(reader)
    os.close(writer)


def test_what_is_written_goes_to_a_copy(tmp_path: Path) -> None:
    """Without a private view: the name of the file is that of the real one."""
    copies = tmp_path / "copies"
    copies.mkdir()
    with open(tmp_path / "log", "w+", buffering=1) as log, tempfile.TemporaryFile("w+") as gone:
        log.write("parent\n")
        gone.write("parent\n")
        gone.flush()

        def inside() -> None:
            privatise([], str(copies))
            for file in (log, gone):
                file.write("child\n")
                file.flush()
            gone.seek(0)
            (copies / "seen").write_text(gone.read())
            os._exit(0)

        forked(inside)
        log.write("parent again\n")
        gone.seek(0)
        assert gone.read() == "parent\n"
    assert (tmp_path / "log").read_text() == "parent\nparent again\n"
    assert (copies / "seen").read_text() == "parent\nchild\n"
    assert b"parent\nchild\n" in [one.read_bytes() for one in copies.iterdir()]


def test_sockets_and_pipes_lead_nowhere() -> None:
    one, other = socket.socketpair()
    reader, writer = os.pipe()

    def inside() -> None:
        os.write(writer, b"mine")
        privatise([])
        os._exit(len(os.read(reader, 4)) + (0 if os.write(one.fileno(), b"x") else 1))

    code, _ = forked(inside)
    assert code == 0
    assert os.read(reader, 4) == b"mine"
    one.close()
    assert other.recv(1) == b""
    other.close()
    os.close(reader)
    os.close(writer)


@pytest.mark.skipif(sys.platform != "linux", reason="mappings of Linux")
def test_shared_memory_comes_along(tmp_path: Path) -> None:
    import mmap

    with mmap.mmap(-1, 4096) as shared:
        shared[:4] = b"mine"

        def inside() -> str:
            privatise([0, 1, 2, *range(3, 50)])
            shared[:4] = b"ours"
            return shared[:4].decode()

        assert forked(inside) == (0, "ours")
        assert shared[:4] == b"mine"
