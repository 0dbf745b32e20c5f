"""A program whose threads each train a model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import threading, torch
from torch import nn
torch.set_num_threads(1)
HERE = {here}

def pair(seed):
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    return model, torch.optim.SGD(model.parameters(), lr=0.01)

def train(seed, model=None, optimizer=None):
    if model is None:
        model, optimizer = pair(seed)
    for step in range(40 + seed):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 2, (6,)))
        loss.backward()
        optimizer.step()
    done.append(seed)

done = []
pairs = [pair(seed) for seed in range(4)] if HERE else [()] * 4
threads = [threading.Thread(target=train, args=(seed, *pairs[seed])) for seed in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert sorted(done) == [0, 1, 2, 3], done
"""


@pytest.mark.parametrize("here", [False, True])
def test_as_many_trainings_as_threads(here: bool, tmp_path: Path) -> None:
    script, report = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(PROGRAM.format(here=here))
    command = [sys.executable, "-m", "paramedic", "run", "--exit-zero", "--json", str(report)]
    ran = subprocess.run(
        [*command, str(script)], capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "switched off" not in ran.stderr
    found = json.loads(report.read_text())["trainings"]
    assert sorted(one["steps"] for one in found) == [40, 41, 42, 43]
