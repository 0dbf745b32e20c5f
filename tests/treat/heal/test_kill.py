"""A heal whose process is killed outright goes on where it stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PLAN = """
import os, signal
from pathlib import Path
import torch
from torch import nn
import paramedic

CALLS, LIMIT = Path(os.environ["CALLS"]), int(os.environ["LIMIT"])

class Loss(nn.CrossEntropyLoss):
    def forward(self, output, target):
        if output.requires_grad:  # a step of training
            with CALLS.open("a") as file:
                file.write(".")
            if CALLS.stat().st_size == LIMIT:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().forward(output, target)

def plan():
    x = torch.randn(256, 2, generator=torch.Generator().manual_seed(0))
    return paramedic.Plan(
        model=lambda: nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2)),
        loss=Loss(), optimizer=(torch.optim.SGD, {"lr": 1e-6}), train=(x, (x[:, 0] > 0).long()),
        epochs=6, batch_size=16, remedies=["suited-rate", "other-optimizer"],
    )
"""


def _run(folder: Path, out: str, calls: str, limit: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "paramedic", "heal", "plan.py", "--out", out]
    source = Path(__file__).resolve().parents[3] / "src"
    own = {"CALLS": calls, "LIMIT": str(limit), "PYTHONPATH": str(source)}
    environment = {**os.environ, **own, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_killed_in_the_middle_of_a_race(tmp_path: Path) -> None:
    (tmp_path / "plan.py").write_text(PLAN)
    whole = _run(tmp_path, "whole", "whole.txt", -1)
    assert whole.returncode == 0, whole.stdout + whole.stderr
    steps = (tmp_path / "whole.txt").stat().st_size
    middle = steps // 2
    killed = _run(tmp_path, "killed", "killed.txt", middle)
    assert killed.returncode == -signal.SIGKILL
    resumed = _run(tmp_path, "killed", "killed.txt", -1)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    again = (tmp_path / "killed.txt").stat().st_size - middle
    assert again < 0.75 * steps  # what is on record was not trained again
    expected, found = (_outcome(tmp_path / name) for name in ("whole", "killed"))
    assert found == expected


def _outcome(folder: Path) -> dict[str, object]:
    data = json.loads((folder / "outcome.json").read_text())
    return {name: data[name] for name in ("status", "after", "cost", "plan", "log")}
