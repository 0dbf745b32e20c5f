"""Starts the server, says where it is, and ends it quietly."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Sequence
from os import PathLike

import uvicorn

from paramedic.report.live.application import application
from paramedic.report.live.runs import Runs
from paramedic.report.live.security import LOOPBACK, Door, is_wildcard

PORT = 7117
_GRACE = 2  # seconds that answers under way get when the server ends


class Server(uvicorn.Server):
    """One that ends its streams first: they would keep it from ending."""

    def __init__(self, config: uvicorn.Config, end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._end_streams = end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._end_streams()
        await super().shutdown(sockets)


def make(
    given: Sequence[str | PathLike[str]], *, host: str | None = None, port: int = PORT
) -> tuple[Server, socket.socket, str]:
    """A server that is bound but not yet running, its socket, and the URL to open.

    Args:
        given: traces, or directories with traces.
        host: the address to answer at; by default this machine alone. With it a token is needed.
        port: 0 takes any that is free.
    """
    runs = Runs(given)
    door = Door.local() if host is None else Door.open_to(host)
    bound = _bound(host or LOOPBACK, port)
    port = bound.getsockname()[1]
    app, hub = application(runs, door, cookie=f"paramedic-{port}")
    config = uvicorn.Config(
        app,
        access_log=False,  # it would show the token
        log_level="error",
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
        ws="none",
    )
    return Server(config, hub.pool.stop), bound, _url(host or LOOPBACK, port, door.token)


def serve(server: Server, bound: socket.socket) -> None:
    """Answer until Ctrl-C."""
    try:
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
        bound.listen(128)  # here, so that a port that is taken is told before the URL is
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


def _url(host: str, port: int, token: str | None) -> str:
    name = socket.gethostname() if is_wildcard(host) else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
