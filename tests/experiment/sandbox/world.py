"""A user with a home, a project and other processes; and what must be as before in the end."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import How
from paramedic.experiment.sandbox.possible import best, why_no_namespaces

MARK = "PARAMEDIC_TEST_MARK"
NASTY = Path(__file__).with_name("nasty.py")
_LARGE = 21 * 2**20


def require(how: How) -> None:
    """Skip where the system does not have it."""
    if how is How.NAMESPACES and why_no_namespaces():
        pytest.skip(f"no namespaces here: {why_no_namespaces()}")
    if how is How.LANDLOCK and best() is How.GUARD:
        pytest.skip("no Landlock here")


@dataclass
class World:
    """The folders of a user, a listening socket and a process that must survive."""

    root: Path
    server: socket.socket
    victim: subprocess.Popen[bytes]
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.home / "project"

    @property
    def temporary(self) -> Path:
        return self.root / "temporary"

    @property
    def arguments(self) -> list[str]:
        port = self.server.getsockname()[1]
        return [str(port), str(self.victim.pid), str(self.root / "elsewhere")]

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ, "HOME": str(self.home), "TMPDIR": str(self.temporary), MARK: self.mark
        }  # fmt: skip

    def state(self) -> dict[str, tuple[object, ...]]:
        """Every file with its content, rights and times; and what is in shared folders."""
        found: dict[str, tuple[object, ...]] = {}
        for here, folders, names in os.walk(self.root):
            for name in (*folders, *names):
                path = Path(here, name)
                about = path.lstat()
                content = b""
                if path.is_file() and not path.is_symlink():
                    content = hashlib.blake2b(path.read_bytes()).digest()
                times = None if path.is_dir() else about.st_mtime_ns
                found[str(path)] = (about.st_mode, about.st_size if content else 0, times, content)
        for folder in ("/var/tmp", "/dev/shm"):
            name = f"nasty-{self.arguments[0]}"
            found[f"{folder}/{name}"] = (Path(folder, name).exists(),)
        return found

    def processes(self) -> list[int]:
        """Those that carry our mark."""
        found = []
        for one in filter(str.isdigit, _listed("/proc")):
            with contextlib.suppress(OSError):
                if f"{MARK}={self.mark}".encode() in Path("/proc", one, "environ").read_bytes():
                    found.append(int(one))
        return found

    def wait_until_alone(self, seconds: float = 50.0) -> list[int]:
        """The processes that are left when nothing more ends by itself."""
        end = time.monotonic() + seconds
        while self.processes() and time.monotonic() < end:
            time.sleep(0.02)
        return self.processes()

    def connections(self) -> int:
        """How often somebody has connected."""
        self.server.setblocking(False)
        count = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                self.server.accept()[0].close()
                count += 1
        return count


def _listed(folder: str) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(folder)
    return []


@contextlib.contextmanager
def world(root: Path) -> Iterator[World]:
    """A new one in a folder; what it started is ended."""
    server = socket.create_server(("127.0.0.1", 0))
    victim = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(300)"])
    made = World(root, server, victim)
    _fill(made)
    try:
        yield made
    finally:
        for one in made.processes():
            with contextlib.suppress(OSError):
                os.kill(one, signal.SIGKILL)
        victim.kill()
        victim.wait()
        server.close()


def _fill(made: World) -> None:
    shared, data = made.home / "shared", made.project / "data"
    folders = (shared, data / "sub", made.project / "ckpt", made.root / "elsewhere")
    for folder in (*folders, made.temporary):
        folder.mkdir(parents=True)
    (made.home / "data").mkdir()
    for number in range(1000):
        (data / f"{number}.txt").write_text(str(number))
    (data / "sub" / "file.txt").write_text("file")
    (made.project / "ckpt" / "best.txt").write_text("best")
    (made.project / "model.pt").write_bytes(b"weights" * 1000)
    with open(made.project / "large.bin", "wb") as file:
        file.truncate(_LARGE)
    (shared / "stamp.txt").write_text("stamp")
    (made.project / "link").symlink_to(shared)
    (made.project / "stamp").symlink_to(shared / "stamp.txt")
    (made.root / "elsewhere" / "file.txt").write_text("file")
    (made.home / "data" / "x.txt").write_text("x")
