"""`paramedic live`, as a user types it."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paramedic.cli.main import app

pytest.importorskip("uvicorn", reason="needs the extra `live`")


@contextmanager
def started(*arguments: str, **settings: Any) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and the URL that it prints."""
    command = [sys.executable, "-m", "paramedic", "live", *arguments]
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **settings,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield process, found.group()
    finally:
        process.kill()
        process.communicate()


def test_it_prints_the_url_and_ends_quietly_on_ctrl_c(tmp_path: Path) -> None:
    with started(str(tmp_path), "--port", "0") as (process, url):
        address, _, query = url.partition("?")
        port = int(address.rpartition(":")[2].strip("/"))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", f"/?{query}")
        entered = connection.getresponse()
        entered.read()
        cookie = str(entered.headers["set-cookie"]).partition(";")[0]
        connection.request("GET", "/events", headers={"cookie": cookie})
        assert connection.getresponse().status == 200  # stays open: somebody is listening
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert process.stderr is not None
        rest, errors = process.stdout.read(), process.stderr.read()
        process.wait(20)
        connection.close()
    assert "Ctrl-C ends it" in rest
    assert errors == ""
    assert process.returncode == 0


def test_other_machines_are_warned_of(tmp_path: Path) -> None:
    with started(str(tmp_path), "--host", "127.0.0.1", "--port", "0") as (process, url):
        assert "?token=" in url
        assert process.stdout is not None
        assert "opens one browser, once; a new start" in process.stdout.readline()
        assert "not encrypted" in process.stdout.readline()


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of POSIX")
def test_enter_prints_another_url(tmp_path: Path) -> None:
    import pty
    import termios
    from fcntl import ioctl

    keys, terminal = pty.openpty()

    def take_terminal() -> None:
        ioctl(0, termios.TIOCSCTTY, 0)

    with started(
        str(tmp_path), "--port", "0", stdin=terminal, start_new_session=True,
        preexec_fn=take_terminal,
    ) as (process, url):  # fmt: skip
        assert process.stdout is not None
        assert "Enter prints another" in process.stdout.readline()
        assert "Ctrl-C" in process.stdout.readline()
        os.write(keys, b"\n")
        line = process.stdout.readline()
        assert line.startswith("For another browser: " + url.partition("=")[0])
        assert url not in line
        os.write(keys, b"\x03")  # Ctrl-C
        assert process.wait(20) == 0
    os.close(keys)
    os.close(terminal)


def test_requests_are_noted_if_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with started(str(tmp_path), "--port", "0", "--log", str(log)) as (_, url):
        urllib.request.build_opener(_NoRedirect).open(url)
    assert log.read_text(encoding="utf-8").endswith("127.0.0.1 GET / 303\n")
    assert log.stat().st_mode & 0o077 == 0


class _NoRedirect(urllib.request.HTTPErrorProcessor):
    def http_response(self, request: Any, response: Any) -> Any:
        return response


def _failure(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["live", *arguments])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    return result.output


def test_a_directory_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert "There is no directory" in _failure(str(tmp_path / "runs"))


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"Port {port} is taken" in _failure(str(tmp_path), "--port", port)


@pytest.mark.parametrize("module", ["starlette", "uvicorn"])
def test_a_missing_extra_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert "pip install 'paramedic[live]'" in _failure(str(tmp_path))
