"""`paramedic run --fix` on a program that does all it can: what is left of it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from paramedic.experiment.sandbox import How
from paramedic.experiment.sandbox.possible import best, why_no_namespaces
from reliability_parts.sizes import Sizes
from tests.experiment.sandbox.world import world
from tests.run.fix.interrupted import ENDS, Left, fix


def measure(sizes: Sizes) -> dict[str, Any]:
    """By what keeps the program in, and by how the command ends."""
    found: dict[str, dict[str, Any]] = {}
    for how in How if sizes.whole else [best()]:
        if how is How.NAMESPACES and why_no_namespaces():
            found[how] = {"skipped": why_no_namespaces()}
            continue
        found[how] = {}
        for end in ENDS:
            found[how][end] = _told(_tried(how, end), end)
            print(f"  effects: {how}, {end}: {found[how][end]}", flush=True)
    return found


def _tried(how: How, end: str) -> Left:
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given).resolve()
        with world(folder / "user") as user:
            return fix(user, how, folder / "records", ENDS[end])


def _told(left: Left, end: str) -> dict[str, Any]:
    return {
        "files": len(left.changed),
        "names": [Path(one).name for one in left.changed[:5]],
        "processes": left.processes,
        "connections": left.connections,
        "victims": left.victims,
        "tried": end != "to its end" or "is gone" in left.said,
    }
