"""A client that sends what it is told to the letter, as a browser never would."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    """Talks to the server at a port of this machine: somebody who was let in, or a stranger, who
    has no cookie."""

    url: str  # without a token
    port: int
    new_url: Callable[[], str]  # one that opens a browser
    cookie: str = ""

    @classmethod
    def let_in(cls, new_url: Callable[[], str]) -> Client:
        """One that has exchanged a token for a cookie."""
        url, _, query = new_url().partition("?")
        port = urlsplit(url).port
        assert port is not None
        stranger = cls(url, port, new_url)
        answer = stranger.get(f"/?{query}")
        assert answer.status == 303
        return replace(stranger, cookie=answer.headers["set-cookie"].partition(";")[0])

    def stranger(self) -> Client:
        return replace(self, cookie="")

    def get(self, path: str, method: str = "GET", **headers: str) -> Answer:
        """One request; `path` is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True)
            given = {"host": f"localhost:{self.port}", **headers}
            if self.cookie:
                given.setdefault("cookie", self.cookie)
            for name, value in given.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())
        finally:
            connection.close()

    def raw(self, request: bytes) -> bytes:
        """What comes back for these bytes, until the server closes or a second has passed."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
            line.sendall(request)
            found = b""
            try:
                while part := line.recv(65536):
                    found += part
            except TimeoutError:
                pass
            return found

    def run(self) -> str:
        """The identifier of the first run in the list."""
        return str(self.get("/runs").json["runs"][0]["id"])

    def listen(self, path: str, seconds: float = 10.0) -> Stream:
        return Stream(self, path, seconds)


class Stream:
    """Server-sent events; a context manager that iterates over messages."""

    def __init__(self, client: Client, path: str, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=seconds)
        headers = {"host": f"localhost:{client.port}", "cookie": client.cookie}
        self._connection.request("GET", path, headers=headers)
        self.answer = self._connection.getresponse()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self.answer.close()

    def __iter__(self) -> Iterator[Any]:
        while line := self.answer.readline():
            if line.startswith(b"data: "):
                yield json.loads(line[6:])
            assert time.monotonic() < self._end, "waited too long"

    def until(self, fits: Any) -> Any:
        """The first message that fits."""
        return next(message for message in self if fits(message))
