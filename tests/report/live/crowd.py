"""A server in a process of its own, and a crowd before it: many who ask for nothing, many who
listen, and somebody who wants an answer meanwhile.

Everything happens on 127.0.0.1, in bounded numbers and a bounded time.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from paramedic.report.live.connections import room
from paramedic.trace import Writer
from tests.report.live.asking import Client
from tests.report.live.traces import append, chart, recorded

ROOT = Path(__file__).parents[3]
_TRICKLE = 0.2  # seconds between two bytes of those who send slowly


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the crowd is."""

    half_open: int
    listeners: int
    runs: int
    asked: int  # times that each page is asked for


BOUNDED = Sizes(half_open=200, listeners=100, runs=200, asked=3)
WHOLE = Sizes(half_open=1024, listeners=500, runs=1000, asked=20)


def runs(folder: Path, count: int) -> Writer:
    """So many runs, of which one goes on."""
    first = recorded(folder / "run-0.db", 2000)
    for number in range(1, count - 1):
        shutil.copy(first, folder / f"run-{number}.db")
    growing = Writer(folder / "growing.db")
    growing.chart(chart())
    append(growing, 0, 100)
    return growing


def slowness() -> float:
    """How much longer things take than on a machine that does nothing else, by the clock."""
    begin, busy = time.monotonic(), time.thread_time()
    while time.thread_time() - busy < 0.1:
        pass
    return max((time.monotonic() - begin) / 0.1, 1.0)


class Server:
    """`paramedic live`; a context manager."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "paramedic", "live", str(folder), "--port", "0"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )
        assert self.process.stdout is not None
        found = re.search(r"http://\S+", self.process.stdout.readline())
        assert found is not None
        self.client = Client.let_in(found.group)
        self.errors = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()

    def interrupt(self) -> float:
        """Press Ctrl-C; gives the seconds until it has ended."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        _, self.errors = self.process.communicate(timeout=20)
        return time.monotonic() - begin

    def megabytes(self) -> float:
        """The most memory that it has taken so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024

    def seconds(self, path: str, count: int) -> list[float]:
        """How long it takes to be answered, each time anew."""
        found = []
        for _ in range(count):
            begin = time.monotonic()
            assert self.client.get(path).status == 200
            found.append(time.monotonic() - begin)
        return found


class Crowd:
    """So many half-open connections and listeners, kept by a thread; a context manager."""

    def __init__(self, client: Client, half_open: int, listeners: int) -> None:
        room()  # this process needs as many descriptors
        self._address = ("127.0.0.1", client.port)
        self._buffer = bytearray(2**17)
        self.heard: set[int] = set()  # listeners that have got something
        self._ended = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._half_open = [self._opened(number) for number in range(half_open)]
        request = f"GET /events HTTP/1.1\r\nHost: localhost\r\nCookie: {client.cookie}\r\n\r\n"
        for _ in range(listeners):
            line = socket.create_connection(self._address, timeout=20)
            line.sendall(request.encode())
            line.setblocking(False)
            self._selector.register(line, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._live)

    def _opened(self, number: int) -> socket.socket:
        """One in three sends nothing, one a half, one goes on byte for byte."""
        line = socket.create_connection(self._address, timeout=20)
        if number % 3:
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        line.setblocking(False)
        return line

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        for line in [*self._half_open, *(key.fileobj for key in self._listening())]:
            line.close()  # type: ignore[union-attr]
        self._selector.close()

    def _listening(self) -> list[selectors.SelectorKey]:
        return list(self._selector.get_map().values())

    def still_open(self) -> int:
        """How many of the half-open ones the server has left alone."""
        return sum(_is_open(line) for line in self._half_open)

    def _live(self) -> None:
        trickled = time.monotonic()
        while not self._ended.is_set():
            for key, _ in self._selector.select(0.05):
                self._hear(key)
            if time.monotonic() - trickled > _TRICKLE:
                trickled = time.monotonic()
                for line in self._half_open[2::3]:
                    with contextlib.suppress(OSError):
                        line.send(b"x")

    def _hear(self, key: selectors.SelectorKey) -> None:
        line = key.fileobj
        assert isinstance(line, socket.socket)
        try:
            count = line.recv_into(self._buffer)
        except BlockingIOError:
            return
        except OSError:
            count = 0
        if not count:
            self._selector.unregister(line)
            line.close()
        elif key.fd not in self.heard and b"data: " in self._buffer[:count]:
            self.heard.add(key.fd)


def _is_open(line: socket.socket) -> bool:
    try:
        return bool(line.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return True
    except OSError:
        return False


@contextlib.contextmanager
def growing(writer: Writer) -> Iterator[None]:
    """A run that goes on meanwhile: the list changes all the time."""
    ended = threading.Event()

    def write() -> None:
        step = 100
        while not ended.wait(0.2):
            append(writer, step, step + 10)
            step += 10

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        writer.close()
