"""The most memory of a program: plain, under `watch`, and under `paramedic run`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from reliability_parts.sizes import Sizes

SCRIPTS = Path(__file__).with_name("scripts")
NAMES = {
    "forward_passes": "600 forward passes without `no_grad`",
    "checkpointed": "a transformer with activation checkpointing",
    "deleted_local": "a local of 200 MB that is deleted",
}
WAYS = ("plain", "watch", "run")
# Every tensor of 64 kB gets pages of its own and gives them back: what the process has is what it
# holds. Otherwise the peaks of one program differ by 60 MB from run to run.
_EXACT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_MMAP_MAX_": "1000000"}

# A process begins with the peak of the one that starts it: so a small one does.
_LAUNCH = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def measure(sizes: Sizes) -> dict[str, Any]:
    """Megabytes, in turns."""
    found: dict[str, dict[str, list[float]]] = {name: {way: [] for way in WAYS} for name in NAMES}
    for turn in range(sizes.turns):
        for name, ways in found.items():
            for way, values in ways.items():
                values.append(_megabytes(SCRIPTS / f"{name}.py", way))
            print(f"  memory {turn + 1}/{sizes.turns}: {name} {ways}", flush=True)
    return {
        name: {way: round(statistics.median(values), 1) for way, values in ways.items()}
        for name, ways in found.items()
    }


def _megabytes(script: Path, way: str) -> float:
    run = ["-m", "paramedic", "run", "--exit-zero"] if way == "run" else []
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ, **_EXACT, "OMP_NUM_THREADS": "1", "PARAMEDIC_HOME": home
        }  # fmt: skip
        if way == "watch":
            environment["WATCH"] = "1"
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCH, sys.executable, *run, str(script)],
            env=environment, cwd=home, capture_output=True, text=True, check=False,
        )  # fmt: skip
    code, kilobytes = map(int, done.stdout.split())
    if code:
        raise RuntimeError(f"{script.name}, {way}: {done.stderr}")
    return kilobytes / 1024
