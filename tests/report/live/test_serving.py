"""Where the server listens, and what it says when it cannot."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs the extra `live`")

from paramedic.report.live.serving import make


def test_by_default_only_this_machine_is_answered(tmp_path: Path) -> None:
    _, bound, url = make([tmp_path], port=0)
    with bound:
        host, port = bound.getsockname()
        assert host == "127.0.0.1"
        assert url.startswith(f"http://127.0.0.1:{port}/?token=")
        assert len(url.partition("?token=")[2]) >= 32


def test_another_url_has_another_token(tmp_path: Path) -> None:
    server, bound, url = make([tmp_path], port=0)
    with bound:
        assert server.new_url() != url
        assert server.new_url().partition("=")[0] == url.partition("=")[0]


def test_with_a_host_others_are_answered(tmp_path: Path) -> None:
    _, bound, url = make([tmp_path], host="0.0.0.0", port=0)
    with bound:
        assert bound.getsockname()[0] == "0.0.0.0"
        assert socket.gethostname() in url
        assert len(url.partition("?token=")[2]) >= 32


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_addresses_of_version_six_are_in_brackets(tmp_path: Path) -> None:
    try:
        _, bound, url = make([tmp_path], host="::1", port=0)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with bound:
        assert url.startswith("http://[::1]:")


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=rf"^Port {port} is taken.*--port 0"):
            make([tmp_path], port=port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "999.1.1.1"])
def test_a_host_that_is_not_ours_is_told(tmp_path: Path, host: str) -> None:
    with pytest.raises((OSError, ValueError), match="is no address of this machine"):
        make([tmp_path], host=host, port=0)
