"""The server under load: a part of it here, all of it by `make stress-live`, which says so in the
environment."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs the extra `live`")

from paramedic.report.live.connections import REQUEST_SECONDS
from tests.report.live.crowd import BOUNDED, WHOLE, Crowd, Server, growing, runs, slowness

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")

IS_WHOLE = os.environ.get("PARAMEDIC_STRESS") == "whole"
SIZES = WHOLE if IS_WHOLE else BOUNDED
LATEST = 1.0  # seconds until an answer, on a machine that does nothing else
MOST_MEGABYTES = 400 if IS_WHOLE else 200
LONG_COOKIE = "; ".join(f"c{number}={'x' * 1000}" for number in range(60))


def test_a_crowd_keeps_nobody_out(tmp_path: Path) -> None:
    slow = slowness()
    with growing(runs(tmp_path, SIZES.runs)), Server(tmp_path) as server:
        client, found = server.client, {}
        begin = time.monotonic()
        assert len(client.get("/runs").json["runs"]) == SIZES.runs
        found["list, first"] = [time.monotonic() - begin]
        found["alone"] = server.seconds("/runs", SIZES.asked)
        run = next(one["id"] for one in client.get("/runs").json["runs"] if one["step"] > 1000)
        with Crowd(client, SIZES.half_open, SIZES.listeners) as crowd:
            opened = time.monotonic()
            for path in ("/", "/runs", f"/run/{run}", f"/run/{run}/view?width=900"):
                found[path.replace(run, "…")] = server.seconds(path, SIZES.asked)
            found["60 kB of cookies"] = [_refused(server, 431, cookie=LONG_COOKIE)]
            found["no token"] = [_refused(server, 403, cookie="")]
            while crowd.still_open():
                assert time.monotonic() - opened < (REQUEST_SECONDS + 3) * slow
                time.sleep(0.1)
            found["/, later"] = server.seconds("/", SIZES.asked)
            while len(crowd.heard) < SIZES.listeners:
                assert time.monotonic() - opened < 30 * slow, "somebody does not hear anything"
                time.sleep(0.1)
            megabytes = server.megabytes()
            ended = server.interrupt()
    slow = max(slow, slowness())
    _tell(found, megabytes, ended)
    print(f"This machine does other things, too: {slow:.1f} times slower than alone.")  # noqa: T201
    assert max(max(times) for times in found.values()) < LATEST * slow
    assert megabytes < MOST_MEGABYTES
    assert ended < LATEST * slow
    assert (server.process.returncode, server.errors) == (0, "")


def _refused(server: Server, status: int, cookie: str) -> float:
    begin = time.monotonic()
    assert server.client.get("/runs", cookie=cookie).status == status
    return time.monotonic() - begin


def _tell(found: dict[str, list[float]], megabytes: float, ended: float) -> None:
    for name, times in found.items():
        print(f"{name:30} worst of {len(times):2}: {max(times):.3f} s")  # noqa: T201
    print(f"memory {megabytes:.0f} MB, Ctrl-C {ended:.2f} s")  # noqa: T201
