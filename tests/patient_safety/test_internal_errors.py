"""Errors of our own: the program must not notice, and is told in one line what is switched off.

Where we can fail in somebody's process is not listed but found: while a program runs that does a
bit of everything, `injection` writes down each function that is called by an entry point of ours
(what torch, Python, a library or the program calls of us: hooks, patches, the thread that writes,
handlers of signals and forks, `watch` and `close`), by the guard that isolates parts (sinks,
detectors, readings), or by a frame of ours below the program (what `paramedic run` does at its
end). Then the program runs once more for each of them, and it raises. So whatever is added is
found too, as soon as the program comes there; `internal/main.py` is where it has to come.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from .comparison import without_us
from .harness import PLAIN, RUN, WATCH, Gate, Ran

FEWEST = {WATCH: 50, RUN: 75}  # points that are found; fewer would say that the search is broken


@pytest.fixture(scope="module")
def plain(gate: Gate) -> Ran:
    ran = gate.inject(PLAIN, "").result()
    assert ran.code == 3, ran.stderr
    return ran


def _injected(gate: Gate, way: str) -> Iterator[tuple[str, Future[Ran]]]:
    found = gate.inject(way, "?").result()
    points = json.loads((found.folder / "out" / "points.json").read_text())
    assert len(points) >= FEWEST[way], points
    yield from [(point, gate.inject(way, point)) for point in points]


def _noticed(plain: Ran, seen: Ran, way: str, point: str) -> list[str]:
    told = [
        line for line in (seen.stderr if way == RUN else seen.log).splitlines() if point in line
    ]
    found = {
        "another stdout": seen.stdout != plain.stdout,
        f"exit code {seen.code}": seen.code != plain.code,
        f"stderr {seen.stderr}": without_us(seen.stderr, way) != plain.stderr,
        "a traceback in the log": "Traceback" in seen.log,
        f"told in {len(told)} lines": len(told) != 1,
    }
    return [what for what, is_so in found.items() if is_so]


@pytest.mark.parametrize("way", [WATCH, RUN])
def test_an_error_of_ours_is_none_of_the_programs(way: str, plain: Ran, gate: Gate) -> None:
    noticed = {
        point: _noticed(plain, future.result(), way, point)
        for point, future in _injected(gate, way)
    }
    noticed = {point: what for point, what in noticed.items() if what}
    assert not noticed, "\n".join(f"{point}: {', '.join(what)}" for point, what in noticed.items())
