"""A crowd before the server: how long somebody waits for an answer, and what the server takes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from paramedic.report.live.connections import REQUEST_SECONDS
from tests.report.live.crowd import Crowd, Server, Sizes, growing, runs, slowness

_LONG_COOKIE = "; ".join(f"c{number}={'x' * 1000}" for number in range(60))
_HEARD = 30.0  # seconds until every listener has heard something


@dataclass
class Load:
    """What was measured. `slowness` is how much longer things took than on an idle machine."""

    seconds: dict[str, list[float]] = field(default_factory=dict)  # by what was asked for
    refused: dict[str, int] = field(default_factory=dict)  # the status, by who asked
    heard: int = 0  # listeners that have got something
    released: float = 0.0  # seconds until no half-open connection was left
    megabytes: float = 0.0
    ended: float = 0.0  # seconds from Ctrl-C to the end
    code: int | None = None
    errors: str = ""
    slowness: float = 1.0

    @property
    def slowest(self) -> float:
        return max(max(times) for times in self.seconds.values())


def load(folder: Path, sizes: Sizes) -> Load:
    """All of it, on a server in a process of its own."""
    found = Load(slowness=slowness())
    with growing(runs(folder, sizes.runs)), Server(folder) as server:
        begin = time.monotonic()
        assert len(server.client.get("/runs").json["runs"]) == sizes.runs
        found.seconds["list, first"] = [time.monotonic() - begin]
        found.seconds["alone"] = server.seconds("/runs", sizes.asked)
        _among_others(server, sizes, found)
    found.slowness = max(found.slowness, slowness())
    found.code, found.errors = server.process.returncode, server.errors
    return found


def _among_others(server: Server, sizes: Sizes, found: Load) -> None:
    run = next(one["id"] for one in server.client.get("/runs").json["runs"] if one["step"] > 1000)
    with Crowd(server.client, sizes.half_open, sizes.listeners) as crowd:
        opened = time.monotonic()
        for path in ("/", "/runs", f"/run/{run}", f"/run/{run}/view?width=900"):
            found.seconds[path.replace(run, "…")] = server.seconds(path, sizes.asked)
        for who, cookie in {"60 kB of cookies": _LONG_COOKIE, "no token": ""}.items():
            begin = time.monotonic()
            found.refused[who] = server.client.get("/runs", cookie=cookie).status
            found.seconds[who] = [time.monotonic() - begin]
        while crowd.still_open():
            assert time.monotonic() - opened < (REQUEST_SECONDS + 3) * found.slowness
            time.sleep(0.1)
        found.released = time.monotonic() - opened
        found.seconds["/, later"] = server.seconds("/", sizes.asked)
        while len(crowd.heard) < sizes.listeners and (
            time.monotonic() - opened < _HEARD * found.slowness
        ):
            time.sleep(0.1)
        found.heard, found.megabytes = len(crowd.heard), server.megabytes()
        found.ended = server.interrupt()
