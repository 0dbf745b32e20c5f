"""What a connection may take, tried over real sockets with shorter times."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs the extra `live`")

from paramedic.report.live import connections
from paramedic.report.live.connections import HEADER_BYTES, MOST_CONNECTIONS, room
from tests.report.live.asking import Client
from tests.report.live.conftest import Running, Serve
from tests.report.live.traces import recorded

SHORT = 0.4  # seconds until a request must be whole


@pytest.fixture
def client(tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", SHORT)
    recorded(tmp_path / "run.db")
    return serve(tmp_path)


def opened(client: Client, request: bytes = b"") -> socket.socket:
    line = socket.create_connection(("127.0.0.1", client.port), timeout=10)
    line.sendall(request)
    return line


def rest(line: socket.socket, meanwhile: Callable[[], object] = lambda: None) -> bytes:
    """What comes until the server ends the connection."""
    found = b""
    line.settimeout(0.05)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            part = line.recv(65536)
        except TimeoutError:
            meanwhile()
            continue
        except OSError:
            return found
        if not part:
            return found
        found += part
    raise AssertionError("the server does not end the connection")


@pytest.mark.parametrize(
    "begun",
    [
        b"", b"GET", b"GET / HTTP/1.1\r\nHost: localhost\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("goes_on", [False, True])
def test_half_a_request_is_not_waited_for(client: Client, begun: bytes, goes_on: bool) -> None:
    begin = time.monotonic()
    with opened(client, begun) as line:

        def trickle() -> None:
            if goes_on:
                line.send(b"x")

        with contextlib.suppress(ConnectionError):
            rest(line, trickle)
    assert time.monotonic() - begin < 5


def test_a_connection_that_is_kept_is_not_kept_for_ever(client: Client) -> None:
    head = f"GET /runs HTTP/1.1\r\nHost: localhost\r\nCookie: {client.cookie}\r\n\r\n".encode()
    with opened(client) as line:
        for _ in range(6):  # longer than one request may take: its time begins with every answer
            line.sendall(head[:20])
            time.sleep(SHORT / 4)
            line.sendall(head[20:])
        assert rest(line).count(b"HTTP/1.1 200") == 6


def test_who_listens_is_not_ended(client: Client) -> None:
    with client.listen("/events") as stream:
        next(iter(stream))
        time.sleep(3 * SHORT)
        assert not stream.answer.closed
        assert client.get("/runs").status == 200


@pytest.mark.parametrize("size", [HEADER_BYTES + 1, 60_000, 500_000])
def test_long_headers_are_refused_with_a_word(client: Client, size: int) -> None:
    with opened(client, b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: a=") as line:
        line.sendall(b"x" * size + b"\r\n\r\n")
        line.shutdown(socket.SHUT_WR)
        answer = rest(line)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b"delete the cookies" in answer


def test_headers_that_do_not_end_are_cut_off(client: Client) -> None:
    begin = time.monotonic()
    with opened(client, b"GET / HTTP/1.1\r\nX: ") as line:
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 2**26:
                sent += line.send(b"x" * 2**16)
    assert sent < 2**26
    assert time.monotonic() - begin < 5


def test_headers_within_the_limit_are_read(client: Client) -> None:
    cookie = f"{client.cookie}; other={'x' * (HEADER_BYTES - 1000)}"
    assert client.get("/runs", cookie=cookie).status == 200


def test_a_request_after_a_long_one_is_answered(client: Client) -> None:
    """What was read of earlier requests does not count."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=10)
    headers = {"host": "localhost", "cookie": client.cookie, "x": "x" * 20_000}
    with contextlib.closing(connection):
        for _ in range(4):
            connection.request("GET", "/runs", headers=headers)
            answer = connection.getresponse()
            assert (answer.status, bool(answer.read())) == (200, True)


def test_too_many_make_room_for_the_newest(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paramedic.report.live.serving.room", lambda: 20)
    recorded(tmp_path / "run.db")
    client = serve(tmp_path)
    streams = [client.listen("/events") for _ in range(5)]
    lines = [opened(client, b"GET /") for _ in range(40)]
    begin = time.monotonic()
    for _ in range(10):
        assert client.get("/runs").status == 200
    assert time.monotonic() - begin < 3
    assert sum(rest_is_open(line) for line in lines) <= 20
    assert all(next(iter(stream))["runs"] for stream in streams)  # nobody who listens had to go
    for one in [*streams, *lines]:
        one.__exit__(None, None, None)


def rest_is_open(line: socket.socket) -> bool:
    line.setblocking(False)
    try:
        return bool(line.recv(1))
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_who_does_not_read_is_given_up(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch, running: Running
) -> None:
    monkeypatch.setattr(connections, "STALLED_SECONDS", 0.3)
    client = serve(tmp_path)
    ask = f"GET /static/uplot.min.js HTTP/1.1\r\nHost: localhost\r\nCookie: {client.cookie}\r\n\r\n"
    known, begin = running[0][0].server_state.open, time.monotonic()
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", client.port))
        line.settimeout(10)
        with contextlib.suppress(ConnectionError):
            for _ in range(5000):  # many answers, until they fill what the system keeps
                line.sendall(ask.encode())
                time.sleep(0.002)
        while known:
            time.sleep(0.05)
            assert time.monotonic() - begin < connections.REQUEST_SECONDS


def test_the_room_is_what_the_system_gives() -> None:
    assert 0 < room() <= MOST_CONNECTIONS
    assert connections._fitting(20_000) == MOST_CONNECTIONS
    assert connections._fitting(1024) == 768
    assert connections._fitting(256) == 128
