"""What is written about requests, and how much of it: strangers must not be able to fill a disk."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

FILE_BYTES = 2**20  # of the file; the one before it is kept, too
_LONGEST = 200  # characters of a path
_PER_MINUTE = 20  # messages about troubles
_LOUD = ("uvicorn.error", "asyncio")


class AccessLog:
    """Notes requests in a file for the user alone; without queries, which may hold a token."""

    def __init__(self, path: Path) -> None:
        self._file = _Rotating(path, maxBytes=FILE_BYTES, backupCount=1, encoding="utf-8")
        self._file.setFormatter(logging.Formatter("%(asctime)s %(message)s"))

    def close(self) -> None:
        with suppress(OSError):  # what is left does not fit on the disk
            self._file.close()

    def add(self, scope: Scope, status: int) -> None:
        address = (scope.get("client") or ("-",))[0]
        path = ascii(scope["path"])[1:-1][:_LONGEST]
        words = f"{address} {scope['method'][:_LONGEST]} {path} {status}"
        self._file.handle(logging.LogRecord("live", logging.INFO, "", 0, words, None, None))


class _Rotating(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        file = os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        return TextIOWrapper(os.fdopen(file, "ab"), encoding=self.encoding)

    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk ends the log, not the server, and is not told once per request."""


class Noted:
    """Stands before the application, notes what it answers, and closes the log at its end."""

    def __init__(self, app: ASGIApp, log: AccessLog) -> None:
        self._app, self._log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._log.add(scope, message["status"])
            await send(message)

        if scope["type"] == "http":
            await self._app(scope, receive, sending)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            if scope["type"] == "lifespan":
                self._log.close()


class Sparing(logging.Filter):
    """Lets a few messages per minute through, and none once the server ends: what is cut off then
    is no trouble."""

    def __init__(self) -> None:
        super().__init__()
        self.is_ending = False
        self._minute, self._count = 0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._count = minute, 0
        self._count += 1
        if self._count == _PER_MINUTE:
            record.msg = f"{record.msg} (more of this minute is left out)"
        return self._count <= _PER_MINUTE and not self.is_ending


@contextmanager
def sparing(found: Sparing) -> Iterator[None]:
    """Puts it before the loggers that speak of connections."""
    loggers = [logging.getLogger(name) for name in _LOUD]
    for logger in loggers:
        logger.addFilter(found)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(found)
