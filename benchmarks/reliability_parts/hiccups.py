"""A disk that is locked or full for a while: what is lost, and how long a step is held up."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from paramedic.experiment.sandbox import How, Limits, Sandbox
from paramedic.experiment.sandbox.possible import why_no_namespaces
from reliability_parts.sizes import Sizes

_RECORDER = Path(__file__).with_name("recorder.py")
_ROOT = _RECORDER.parents[2]
_DISK = 32 * 2**20  # bytes of the disk that is filled
KINDS = ("none", "locked", "full")


def measure(sizes: Sizes) -> dict[str, Any]:
    """Each several times: one long step may be of the machine."""
    found: dict[str, Any] = {}
    for kind in KINDS:
        if kind == "full" and why_no_namespaces():
            found[kind] = {"skipped": f"a disk of our own needs namespaces: {why_no_namespaces()}"}
            continue
        turns = []
        for turn in range(sizes.turns):
            turns.append(_recorded(kind, sizes))
            print(f"  hiccups: {kind}, {turn + 1} of {sizes.turns}: {turns[-1]}", flush=True)
        found[kind] = _together(turns)
    return {"seconds": sizes.hiccup, "turns": sizes.turns, **found}


def _recorded(kind: str, sizes: Sizes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given).resolve()
        environment = {**os.environ, "PYTHONPATH": str(_ROOT / "src"), "OMP_NUM_THREADS": "1"}
        if kind != "full":
            result = folder / "result.json"
            subprocess.run(
                [*_command(kind, folder, sizes), str(result)], env=environment, check=True
            )
            return dict(json.loads(result.read_text(encoding="utf-8")))
        # A disk that is really full, and not that of this machine: that of a sandbox.
        sandbox = Sandbox((folder,), Limits(300, disk=_DISK), How.NAMESPACES)
        ended = sandbox.run(
            [*_command(kind, folder, sizes), str(sandbox.private / "result.json")],
            folder=folder, environment=environment, collect=("result.json",),
        )  # fmt: skip
        if "result.json" not in ended.files:
            raise RuntimeError(f"{ended.refused or ended.limit}: {ended.errors}")
        return dict(json.loads(ended.files["result.json"]))


def _command(kind: str, folder: Path, sizes: Sizes) -> list[str]:
    seconds = [str(sizes.hiccup), str(sizes.around)]
    return [sys.executable, str(_RECORDER), str(folder / "run.db"), kind, *seconds]


def _together(turns: list[dict[str, Any]]) -> dict[str, Any]:
    outside = [turn[name] for turn in turns for name in ("before", "after")]
    during = [turn["during"] for turn in turns]
    longest = [one["longest_ms"] for one in during]
    return {
        "steps": sum(one["steps"] for one in (*outside, *during)),
        "lost_outside": sum(one["frames_lost"] + one["losses_lost"] for one in outside),
        "lost_during": sum(one["frames_lost"] + one["losses_lost"] for one in during),
        "longest_ms": statistics.median(longest),
        "worst_ms": max(longest),
        "noted": turns[0]["noted"] != "",
        "failure": next((turn["failure"] for turn in turns if turn["failure"]), ""),
    }
