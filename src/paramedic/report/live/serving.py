"""Starts the server, says where it is, and ends it quietly."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

import uvicorn

from paramedic.report.live.application import application
from paramedic.report.live.connections import (
    HEADER_BYTES,
    REQUEST_SECONDS,
    Connection,
    State,
    room,
)
from paramedic.report.live.keyboard import on_enter
from paramedic.report.live.logs import AccessLog, Noted, Sparing, sparing
from paramedic.report.live.runs import Runs
from paramedic.report.live.security import LOOPBACK, Door, is_wildcard

PORT = 7117
_QUEUE = 1024  # connections that the system keeps for us while we are busy
_AT_ONCE = 64  # connections that are accepted before others are asked what they want
_GRACE = 0.5  # seconds that answers under way get when the server ends
_LATEST = 2  # seconds, after which it ends whatever happens


class Server(uvicorn.Server):
    """One that ends its streams first: they would keep it from ending.

    `new_url` gives a URL that opens one browser; `tell` is called with a new one whenever Enter is
    pressed in its terminal.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        state: State,
        end_streams: Callable[[], None],
        new_url: Callable[[], str],
    ) -> None:
        super().__init__(config)
        self.server_state = self._state = state
        self.new_url = new_url
        self.tell: Callable[[str], None] | None = None
        self.sparing = Sparing()
        self._end_streams = end_streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for one in sockets or []:
            one.listen(_QUEUE)  # uvicorn has made it as long as what it accepts at once
        tell = self.tell
        if tell is not None:
            on_enter(lambda: tell(self.new_url()))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.sparing.is_ending = True
        self._end_streams()
        asyncio.get_running_loop().call_later(_GRACE, self._cut_off)
        await super().shutdown(sockets)

    def _cut_off(self) -> None:
        """Whoever does not read, or waits for a slow disk, is not waited for."""
        for connection in list(self._state.open):
            connection.end()
        for task in list(self._state.tasks):
            task.cancel()


def make(
    given: Sequence[str | PathLike[str]],
    *,
    host: str | None = None,
    port: int = PORT,
    log: Path | None = None,
) -> tuple[Server, socket.socket, str]:
    """A server that is bound but not yet running, its socket, and the URL to open, once.

    Args:
        given: traces, or directories with traces.
        host: the address to answer at; by default this machine alone.
        port: 0 takes any that is free.
        log: a file in which every request is noted.
    """
    runs = Runs(given)
    door = Door.local() if host is None else Door.open_to(host)
    most = room()
    bound = _bound(host or LOOPBACK, port)
    port = bound.getsockname()[1]
    app, hub = application(runs, door, cookie=f"paramedic-{port}")
    config = uvicorn.Config(
        app if log is None else Noted(app, AccessLog(log)),
        http=Connection,
        h11_max_incomplete_event_size=HEADER_BYTES,
        limit_concurrency=most + 4 * _AT_ONCE,  # never met: room is made before
        timeout_keep_alive=int(REQUEST_SECONDS),
        timeout_graceful_shutdown=_LATEST,
        backlog=_AT_ONCE,
        access_log=False,  # it would show the token
        log_level="error",
        server_header=False,
        ws="none",
    )
    address = _address(host or LOOPBACK, port)

    def new_url() -> str:
        return f"{address}?token={door.new_token()}"

    return Server(config, State(most), hub.pool.stop, new_url), bound, new_url()


def serve(server: Server, bound: socket.socket) -> None:
    """Answer until Ctrl-C."""
    try:
        with sparing(server.sparing):
            server.run(sockets=[bound])
    except KeyboardInterrupt:  # uvicorn raises it again when everything has ended
        pass
    finally:
        bound.close()


def _bound(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror as error:
        raise ValueError(f"--host `{host}` is no address of this machine: {error}.") from error
    family, _, _, _, address = found[0]
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A server that has just ended must not keep its port busy.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(_QUEUE)  # here, so that a port that is taken is told before the URL is
    except OSError as error:
        bound.close()
        raise OSError(_refused(host, port, error)) from error
    return bound


def _refused(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        advice = "--port N takes another, --port 0 any that is free"
        return f"Port {port} is taken, perhaps by another live page: {advice}."
    if error.errno == errno.EACCES:
        return f"Port {port} may not be used: take one above 1023, or --port 0."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"--host `{host}` is no address of this machine."
    return f"Cannot listen at {host}, port {port}: {error}."


def _address(host: str, port: int) -> str:
    name = socket.gethostname() if is_wildcard(host) else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/"
