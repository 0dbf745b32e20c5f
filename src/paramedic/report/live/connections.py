"""What a connection may take: bytes, time, and a place among the others.

The web server has no limit on how long a request may take to arrive, and none on connections that
ask for nothing: a thousand of them would keep everybody else out. Here a request is whole within
seconds or its connection ends; when there are too many, the one that has waited longest goes.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, cast

import h11
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

MOST_CONNECTIONS = 2048
HEADER_BYTES = 32 * 1024  # of one request; browsers send 1 kB and their cookies
REQUEST_SECONDS = 5.0  # until a request is whole; a connection that is kept waits as long for one
STALLED_SECONDS = 30.0  # until somebody who does not read what is sent is given up
_DESCRIPTORS = 4096  # wanted for connections and traces
_OTHERS = 256  # descriptors for traces, and for connections that have just come or gone
_DISCARDED = 2**20  # bytes of a request that is too long that are read, so that the answer is
_TOO_LONG = (
    f"The request has more than {HEADER_BYTES // 1024} kB of headers. If a browser sent it: "
    "delete the cookies of this address.\n"
).encode()
_TOO_LONG_ANSWER = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(_TOO_LONG), _TOO_LONG)
)


def room() -> int:
    """How many connections there may be; asks the system for more descriptors if it gives few."""
    try:
        import resource
    except ImportError:  # not POSIX: no such limit
        return MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < _DESCRIPTORS:
        wanted = _DESCRIPTORS if hard == unlimited else min(_DESCRIPTORS, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return MOST_CONNECTIONS if soft == unlimited else _fitting(soft)


def _fitting(descriptors: int) -> int:
    return min(MOST_CONNECTIONS, max(descriptors - _OTHERS, descriptors // 2))


class State(ServerState):
    """What the connections of one server know of each other."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.open: set[Connection] = set()
        self.waiting: dict[Connection, None] = {}  # for a request, the longest first

    def make_room(self) -> None:
        """End the connection that has asked for nothing for longest, if there are too many."""
        longest = next(iter(self.waiting), None)  # the newest, if all others are being answered
        if longest is not None and len(self.open) > self.most:
            longest.end()


class Connection(H11Protocol):
    """One with limits."""

    def __init__(
        self,
        config: Config,
        server_state: State,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._state = server_state
        self._waited: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._received = 0  # bytes of the request that is arriving
        self._refused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self._state.open.add(self)
        self._note()
        self._state.make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        if self._refused:
            if self._received > _DISCARDED:
                self.end()
        elif self._received > HEADER_BYTES and self.conn.their_state is h11.IDLE:
            self._refuse()
        else:
            super().data_received(data)
            self._note()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._restart()
        self._note()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALLED_SECONDS, self.end)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def shutdown(self) -> None:
        """The server ends: who is being answered gets the rest, all others are let go."""
        if self._is_answering():
            super().shutdown()
        else:
            self.end()

    def end(self) -> None:
        """At once, whatever is still to be sent."""
        self._leave()
        if self.transport is not None:
            self.transport.abort()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _note(self) -> None:
        """Whether it still owes us a request, or a part of one."""
        if self.transport.is_closing():
            return
        if self._is_answering() and self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._restart()
        elif self._waited is None:
            self._state.waiting[self] = None
            self._waited = self.loop.call_later(REQUEST_SECONDS, self.end)

    def _restart(self) -> None:
        """A request is whole, or answered: the next one gets all of the time again."""
        self._received = 0
        self._state.waiting.pop(self, None)
        if self._waited is not None:
            self._waited.cancel()
            self._waited = None

    def _leave(self) -> None:
        self._state.open.discard(self)
        self._restart()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _refuse(self) -> None:
        """Says so and reads on for a while: if it hung up at once, the answer would be lost."""
        self._refused = True
        self._unset_keepalive_if_required()
        self.transport.write(_TOO_LONG_ANSWER)
        if self.transport.can_write_eof():
            self.transport.write_eof()
