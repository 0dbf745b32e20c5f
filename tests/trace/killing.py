"""Kills processes that record, at random moments, and looks at what they leave.

python -m tests.trace.killing 200
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from paramedic.trace import Trace, TraceError

# One process records one run after the other, so that most kills need no new interpreter to start
# and many hit the creation of a trace.
_RECORD = """
import sys, itertools
import numpy as np
from paramedic.trace import Writer, newest_path
from paramedic.types import Chart, Epoch, Event, Frame
row = np.zeros(200, np.float32)
print("ready", flush=True)
for number in itertools.count():
    writer = Writer(newest_path(f"{sys.argv[1]}/{number}.db"), size_limit=200_000, batch=4)
    writer.chart(Chart())
    for step in range(int(sys.argv[2])):
        writer.pulse(step, 1.0, True, False)
        writer.frame(Frame(step, "full", {"loss": 1.0}, {"a": row}))
        if step % 20 == 0:
            writer.event(Event(step, "k", "m"))
            writer.epoch(Epoch(step // 20, step, {"val_loss": 1.0}))
    writer.close()
"""
# Steps per run: short ones are mostly creation and end, long ones are thinned.
_LENGTHS = (0, 3, 50, 2000)


def kill(count: int, seed: int = 0) -> dict[str, int]:
    """Kill so many processes; how many traces there were, how many were empty or refused."""
    source = random.Random(seed)
    totals = {"kills": 0, "traces": 0, "empty": 0, "refused": 0}
    for number in range(count):
        with TemporaryDirectory() as folder:
            _kill_one(Path(folder), _LENGTHS[number % len(_LENGTHS)], source.uniform(0.0, 0.3))
            totals["kills"] += 1
            for path in sorted(Path(folder).glob("*.db")):
                totals["traces"] += 1
                try:
                    totals["empty"] += not _steps(path)
                except TraceError as error:
                    totals["refused"] += 1
                    sys.stderr.write(f"{error}\n")
    return totals


def _kill_one(folder: Path, steps: int, seconds: float) -> None:
    command = [sys.executable, "-c", _RECORD, str(folder), str(steps)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)


def _steps(path: Path) -> int:
    with Trace.open(path) as trace:
        for step in trace.steps:
            assert step >= 0
        _ = (trace.chart, trace.pulse(), trace.events, trace.epochs, trace.window())
        return len(list(trace.frames()))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(kill(int(sys.argv[1]), seed=random.randrange(10**6))) + "\n")
