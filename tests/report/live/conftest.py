"""A live server on a free port, and traces to serve."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.live.asking import Client

Serve = Callable[..., Client]


Running = list[tuple[Any, threading.Thread]]


@pytest.fixture
def running() -> Running:
    """The servers of this test."""
    return []


@pytest.fixture
def stop(running: Running) -> Iterator[Callable[[], None]]:
    """Ends all servers, at the latest after the test."""

    def end() -> None:
        for server, _ in running:
            server.should_exit = True
        for _, thread in running:
            thread.join(10)
            assert not thread.is_alive(), "the server does not end"

    yield end
    end()


@pytest.fixture
def serve(running: Running, stop: Callable[[], None]) -> Serve:
    """Serves what it is given until the test ends, and gives a client that was let in."""
    for module in ("starlette", "uvicorn"):
        pytest.importorskip(module, reason="needs the extra `live`")
    from paramedic.report.live.serving import make

    def start(*given: Path, host: str | None = None) -> Client:
        server, bound, _ = make(given, host=host, port=0)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        running.append((server, thread))
        end = time.monotonic() + 10
        while not server.started:
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.01)
        return Client.let_in(server.new_url)

    return start
