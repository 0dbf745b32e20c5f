"""Many listeners in one thread: what they hear, and when."""

from __future__ import annotations

import re
import selectors
import socket
import time
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

_STEP = re.compile(rb'"last_step": (\d+)')


@dataclass(slots=True)
class _Client:
    line: socket.socket
    buffer: bytes = b""
    step: int = -1


class Clients:
    """A context manager: so many connections to one address of server-sent events."""

    def __init__(self, address: str, cookie: str, count: int) -> None:
        self._address, self._cookie, self._count = urlsplit(address), cookie, count

    def __enter__(self) -> Self:
        self._selector = selectors.DefaultSelector()
        self._clients = [self._connected() for _ in range(self._count)]
        self.heard(0, time.time())
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.line.close()
        self._selector.close()

    def _connected(self) -> _Client:
        line = socket.create_connection((self._address.hostname, self._address.port))
        target = f"{self._address.path}?{self._address.query}"
        head = f"Host: {self._address.netloc}\r\nCookie: {self._cookie}\r\n"
        line.sendall(f"GET {target} HTTP/1.1\r\n{head}\r\n".encode())
        line.setblocking(False)
        client = _Client(line)
        self._selector.register(line, selectors.EVENT_READ, client)
        return client

    def heard(self, step: int, since: float) -> list[float]:
        """When each has heard of a step, in seconds since a moment."""
        times: dict[int, float] = {}
        end = time.monotonic() + 60
        while len(times) < self._count:
            for key, _ in self._selector.select(0.1):
                self._read(key.data)
            now = time.time()
            for client in self._clients:
                if client.step >= step:
                    times.setdefault(id(client), now - since)
            if time.monotonic() > end:
                raise TimeoutError(f"{len(times)} of {self._count} have heard of step {step}.")
        return list(times.values())

    def _read(self, client: _Client) -> None:
        try:
            part = client.line.recv(2**20)
        except BlockingIOError:
            return
        if not part:
            raise ConnectionError("The server has hung up.")
        client.buffer += part
        while b"\n\n" in client.buffer:
            message, _, client.buffer = client.buffer.partition(b"\n\n")
            found = _STEP.findall(message)
            if found:
                client.step = int(found[-1])
