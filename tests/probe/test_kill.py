"""A run that is killed leaves a trace that opens; a run that goes on can be read meanwhile."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from paramedic import Trace

ENDLESS = """
import sys, torch, paramedic
from torch import nn
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
with paramedic.watch(model, optimizer, trace=sys.argv[1], overhead=None, strict=True) as monitor:
    for step in range(10**9):
        optimizer.zero_grad()
        model(torch.randn(4, 8)).pow(2).mean().backward()
        optimizer.step()
        if step % 50 == 49:
            print(step, flush=True)
"""
BATCH = 20  # frames per commit


def _start(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ENDLESS, str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _steps_done(run: subprocess.Popen[str], least: int) -> int:
    assert run.stdout is not None
    for line in run.stdout:
        if int(line) >= least:
            return int(line)
    raise AssertionError("the run ended early")


def test_kill_9_loses_at_most_the_open_batch(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    run = _start(path)
    done = _steps_done(run, 250)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    with Trace.open(path) as trace:
        steps = trace.steps
        assert len(trace) >= done + 1 - BATCH - 1
        assert list(steps) == list(range(len(trace)))
        assert trace.window().scalar("grad_norm").min() > 0
        assert trace.chart.layers[0].name == "0"
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_another_process_reads_while_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    run = _start(path)
    try:
        _steps_done(run, 100)
        with Trace.open(path) as trace:
            first = len(trace)
            deadline = time.monotonic() + 30
            while len(trace) < first + 100 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert len(trace) >= first + 100
            assert run.poll() is None
    finally:
        run.kill()
        run.communicate()
