"""`paramedic live`, as a user types it."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paramedic.cli.main import app

pytest.importorskip("uvicorn", reason="needs the extra `live`")


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and the URL that it prints."""
    command = [sys.executable, "-m", "paramedic", "live", *arguments]
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
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
        port = int(url.rpartition(":")[2].strip("/"))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/events")
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
        assert "not encrypted" in process.stdout.readline()


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
