"""What is noted, and how much of it."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra `live`")

from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from paramedic.report.live import logs
from paramedic.report.live.logs import AccessLog, Noted, Sparing, sparing


def asked(path: str = "/", method: str = "GET") -> dict[str, Any]:
    return {
        "type": "http", "method": method, "path": path, "query_string": b"token=secret",
        "client": ("127.0.0.1", 5), "headers": [],
    }  # fmt: skip


def test_a_request_is_a_line_without_its_query(tmp_path: Path) -> None:
    log = AccessLog(tmp_path / "log")
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    noted = Noted(PlainTextResponse("hello"), log)
    asyncio.run(noted(asked("/a\n\x1b[31mb\u00e9"), None, send))  # type: ignore[arg-type]
    log.close()
    (line,) = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert line.endswith(r"127.0.0.1 GET /a\n\x1b[31mb\xe9 200")
    assert "secret" not in line
    assert len(sent) == 2


def test_the_log_is_closed_with_the_server(tmp_path: Path) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        pass

    log = AccessLog(tmp_path / "log")
    asyncio.run(Noted(app, log)({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert log._file.stream is None


def test_the_log_is_bounded_and_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "FILE_BYTES", 5000)
    log = AccessLog(tmp_path / "log")
    for _ in range(200):
        log.add(asked("/" + "x" * 30_000, "BREW" * 500), 404)
    log.close()
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["log", "log.1"]
    assert all(0 < file.stat().st_size <= 5000 for file in files)
    if os.name == "posix":
        assert all(file.stat().st_mode & 0o077 == 0 for file in files)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_borne(capfd: pytest.CaptureFixture[str]) -> None:
    log = AccessLog(Path("/dev/full"))
    log.add(asked(), 200)
    log.close()
    assert capfd.readouterr().err == ""


def test_troubles_are_told_sparingly(caplog: pytest.LogCaptureFixture) -> None:
    spare = Sparing()
    logger = logging.getLogger("uvicorn.error")
    with sparing(spare), caplog.at_level(logging.ERROR, logger="uvicorn.error"):
        logger.addHandler(caplog.handler)
        for number in range(500):
            logger.error("trouble %d", number)
        logger.removeHandler(caplog.handler)
    told = [record.getMessage() for record in caplog.records]
    assert len(set(told)) == 20
    assert told[-1].endswith("(more of this minute is left out)")
    assert spare not in logger.filters
    spare.is_ending = True
    assert not spare.filter(logging.makeLogRecord({"msg": "cut off"}))
